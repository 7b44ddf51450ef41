"""In what order things are declared says nothing: it changes no number and no address."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from capwright.base.source import Source
from capwright.compiling import compile_plan
from capwright.loading import load
from capwright.syntax import tree
from capwright.syntax.parse import parse
from tests.support.trees import ROOT

Facts = set[tuple[object, ...]]
EXAMPLES = ("llama-3.1-70b-long-context", "deepseek-v3")


def turned(path: Path, order: Callable[[list[str]], None]) -> None:
    """Put the members of every entity of a file into another order."""
    text = path.read_text(encoding="utf-8")
    module, problems = parse(Source(path.name, text))
    assert not problems
    for one in reversed(module.statements):
        if isinstance(one, tree.EntityDecl) and len(one.members) > 1:
            parts = [text[member.span.start : member.span.end] for member in one.members]
            order(parts)
            start, end = one.members[0].span.start, one.members[-1].span.end
            text = text[:start] + "\n".join(parts) + "\n" + text[end:]
    path.write_text(text, encoding="utf-8")


def facts(plan: Path, library: Path | None = None) -> Facts:
    compiled = compile_plan(load(str(plan), root=str(plan.parent.parent), library=library))
    assert not [one.message for one in compiled.diagnostics if one.severity == "error"]
    document = compiled.sound
    numbers = {(q.address, q.low, q.nominal, q.high, frozenset(q.aliases)) for q in document.quantities}
    settings = {(s.address, s.sort, s.value, s.refers) for s in document.settings}
    verdicts = {(v.written, v.status, v.margin_low, v.margin_high, v.leans_on) for v in document.verdicts}
    return numbers | settings | verdicts


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("order", [list.reverse, Random(7).shuffle], ids=["reversed", "shuffled"])
def test_the_order_of_fields_in_the_library_changes_nothing(tmp_path, example, order):
    library = tmp_path / "std"
    shutil.copytree(ROOT / "plans" / "std", library)
    for path in sorted(library.rglob("*.plan")):
        turned(path, order)
    plan = ROOT / "plans" / "examples" / f"{example}.plan"
    before, after = facts(plan), facts(plan, library)
    assert (before - after, after - before) == (set(), set())
    assert len(before) > 500


LACKING = """\
entity box { width : number }
box c { width = 4 }
box b { width = 2; price : number = 3 }
entity room { box : box; cost : number = box.price * 2; more : number = box.price }
room r { box = b }
option other of r { box = c }
total : number = r@other.cost
"""


@pytest.mark.parametrize("order", [*range(12)])
def test_the_order_of_statements_says_nothing_of_what_an_option_lacks(order):
    statements = LACKING.splitlines()
    Random(order).shuffle(statements)
    text = "".join(f"{statement}\n" for statement in statements)
    found = compile_plan(load("p.plan", root=".", texts={"p.plan": text})).diagnostics
    told = sorted((one.code, one.severity, text[one.span.start : one.span.end], one.message) for one in found)
    assert told == [
        ("CW0243", "error", "cost", "`r@other.cost` has no value: the option lacks something that it needs"),
        ("CW0243", "warning", "price", told[1][3]),
    ]
    assert "`r@other` has no value here: box `c` has no `price`" in told[1][3]
