"""Laws of whole plans: order says nothing, intervals hold every sample, layout says nothing, nothing raises."""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from capwright.base.source import Source
from capwright.document.plandoc import PlanDoc
from capwright.syntax.format import format_source
from tests.support.programs import codes, compiled
from tests.support.trees import plan_files

LAW = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
SLOW = settings(LAW, max_examples=25)

PLANS = Path(__file__).parents[2] / "plans"
FOLDER = PLANS / "examples"
EXAMPLES = sorted(FOLDER.glob("*.plan"))


# ── what a plan means does not hang on how it is laid out ────────────────────────────────────────


def meaning(document: PlanDoc | None) -> object:
    """What a document says, but for the places of statements and the order of quantities and requirements."""
    assert document is not None
    quantities = {
        q.address: replace(
            q,
            provenance=replace(q.provenance, place="", line="", declared=""),
            formula=_placeless(q.formula),
            aliases=tuple(sorted(q.aliases)),
        )
        for q in document.quantities
        if not q.internal
    }
    verdicts = {
        v.label: (v.status, v.margin_low, v.margin_nominal, v.margin_high, set(v.leans_on))
        for v in document.verdicts
    }
    return quantities, verdicts


def _placeless(tree: Any) -> Any:
    if isinstance(tree, list):
        return [_placeless(part) for part in tree]
    if isinstance(tree, dict):
        return {key: _placeless(part) for key, part in tree.items() if key != "place"}
    return tree


BOXES = """
unit byte, bytes symbol B prefixes decimal binary
unit second, seconds symbol s prefixes decimal
unit layer, layers counting
kind pool : byte for capacity "pool"
kind demand : byte for capacity meets pool "demand"
entity shape { layers : layer default 2 layers }
entity square : shape { side : byte }
entity circle : shape { radius : byte; assume round : number = 3.2 in 3 .. 4  because "nobody has measured" }
entity box {
  lid : shape
  pieces : list of shape named piece
  width : byte kind demand = size(lid) + sum(size(p) for p in pieces)
  inside { half : byte = width / 2; most : byte kind pool = max(2 * width, 1 kB) }
  check width <= 1 GB  "too wide"
}
formula size(s: shape) : byte kind demand
formula size(s: square) : byte kind demand over layer = s.side * s.layers  caveat guess for capacity "a guess"
formula size(s: circle) : byte kind demand over layer = s.round * s.radius * s.layers
square q { side = 3 B }
circle c from d { radius = 5 B }
circle d { radius = 4 B }
box a { lid = q; piece x : circle { radius = 1 B }; piece y : square { side = 2 B } }
box b from a { lid = c; pieces.x.radius = 2 B }
option wide of a { lid = d }
option deep of a { lid.layers = 7 layers }
a.spare : byte = a.inside.most - a.width
assume share = 0.8 in 0.7 .. 0.9  because "a range"
rest : byte = share * a.width + (1 - share) * b.width
longest : byte = largest n in 1 B .. 1 kB where n * share <= a.inside.most
wait : s >= 3 s
require a.width <= a.inside.most "fits"
require rest <= 40 B "small"
require wait <= 2 s "quick"
expect share * 2 <= 2 "likely"
report a, b.inside
"""
STATEMENTS = re.split(r"\n(?=[^\s}])", BOXES.strip())


@pytest.fixture(scope="module")
def usual() -> object:
    return meaning(compiled(BOXES).document)


@LAW
@given(st.permutations(STATEMENTS))
def test_the_order_of_statements_says_nothing(usual: object, statements: list[str]) -> None:
    assert meaning(compiled("\n".join(statements)).document) == usual


@LAW
@given(
    st.permutations(STATEMENTS),
    st.lists(st.integers(0, len(STATEMENTS)), min_size=2, max_size=2),
    st.booleans(),
)
def test_the_order_of_files_says_nothing(
    usual: object, statements: list[str], cuts: list[int], turned: bool
) -> None:
    first, second = sorted(cuts)
    # What names a thing with a dot or asks something belongs to the plan itself.
    own = [s for s in statements[:first] if _asks(s)]
    parts = [[s for s in part if not _asks(s)] for part in (statements[:first], statements[first:second])]
    rest = statements[second:] + own + [s for s in statements[first:second] if _asks(s)]
    files = {f"{name}.plan": "\n".join(part) for name, part in zip("xy", parts, strict=True)}
    uses = ['use "x.plan"', 'use "y.plan"']
    text = "\n".join([*rest, *(reversed(uses) if turned else uses)])
    found = meaning(compiled(text, files).document)
    assert found == usual


def _asks(statement: str) -> bool:
    return statement.startswith(("option", "a.spare", "require", "expect", "report"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_formatting_an_example_says_nothing(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    laid_out, problems = format_source(Source(path.name, text))
    assert not problems
    assert meaning(compiled(laid_out, root=FOLDER).document) == meaning(compiled(text, root=FOLDER).document)


@LAW
@given(
    st.permutations(STATEMENTS), st.sampled_from(["  ", "\t", "    "]), st.sampled_from(["", "  # a comment"])
)
def test_layout_says_nothing(usual: object, statements: list[str], blank: str, comment: str) -> None:
    text = "\n\n".join(s.replace("\n  ", "\n" + blank) + comment for s in statements)
    laid_out, problems = format_source(Source("case.plan", text))
    assert not problems
    assert meaning(compiled(laid_out).document) == usual


# ── an interval holds every value that its sources allow ─────────────────────────────────────────


@dataclass(frozen=True)
class Term:
    """An expression: its text, and its value for values of its sources (None where it has none)."""

    text: str
    at: Callable[[dict[str, Fraction]], Fraction | None]


@dataclass(frozen=True)
class Assumed:
    """A source: its name and the ends of its range."""

    name: str
    low: Fraction
    high: Fraction


SIGNS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
EXTREMES: dict[str, Callable[[Fraction, Fraction], Fraction]] = {"min": min, "max": max}


def _both(a: Term, b: Term, text: str, join: Callable[[Fraction, Fraction], Fraction | None]) -> Term:
    def at(values: dict[str, Fraction]) -> Fraction | None:
        one, two = a.at(values), b.at(values)
        return None if one is None or two is None else join(one, two)

    return Term(text, at)


def _choice(a: Term, b: Term, c: Term, d: Term) -> Term:
    def at(values: dict[str, Fraction]) -> Fraction | None:
        one, two = a.at(values), b.at(values)
        if one is None or two is None:
            return None
        return c.at(values) if one <= two else d.at(values)

    return Term(f"(if {a.text} <= {b.text} then {c.text} else {d.text})", at)


def _larger(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.one_of(
        st.builds(lambda a, b, s: _both(a, b, f"({a.text} {s} {b.text})", SIGNS[s]), inner, inner, st.sampled_from("+-*")),
        st.builds(lambda a, b: _both(a, b, f"({a.text} / (1 + {b.text}^2))", lambda x, y: x / (1 + y * y)), inner, inner),
        st.builds(lambda a, b, f: _both(a, b, f"{f}({a.text}, {b.text})", EXTREMES[f]), inner, inner, st.sampled_from(["min", "max"])),
        st.builds(_choice, inner, inner, inner, inner),
        st.builds(lambda a: Term(f"floor({a.text})", lambda v: None if (x := a.at(v)) is None else Fraction(x // 1)), inner),
    )  # fmt: skip


numbers = st.sampled_from([Fraction(n, d) for n in range(7) for d in (1, 2, 5)])
literals = numbers.map(lambda n: Term(f"({n.numerator} / {n.denominator})", lambda _: n))
names = st.sampled_from("xyz").map(lambda name: Term(name, lambda values: values[name]))
terms = st.recursive(st.one_of(names, names, literals), _larger, max_leaves=8)


@st.composite
def sources(draw: st.DrawFn) -> list[Assumed]:
    found = []
    for name in "xyz":
        low, width = draw(numbers), draw(numbers)
        found.append(Assumed(name, low, low + width))
    return found


def _written(assumed: list[Assumed]) -> str:
    def ends(a: Assumed) -> str:
        low, high = (f"{end.numerator} / {end.denominator}" for end in (a.low, a.high))
        return f'assume {a.name} = {low} in {low} .. {high}  because "an example"'

    return "\n".join(ends(a) for a in assumed)


def _samples(assumed: list[Assumed]) -> list[dict[str, Fraction]]:
    steps = [[a.low + (a.high - a.low) * Fraction(n, 3) for n in range(4)] for a in assumed]
    return [dict(zip("xyz", point, strict=True)) for point in itertools.product(*steps)]


@LAW
@given(sources(), terms)
def test_an_interval_holds_every_sampled_value(assumed: list[Assumed], term: Term) -> None:
    text = f"{_written(assumed)}\nplain = {term.text}\nreported = {term.text}\nreport reported\n"
    document = compiled(text).document
    assert document is not None
    held = {q.address: q for q in document.quantities}
    for values in _samples(assumed):
        value = term.at(values)
        assert value is not None
        for address in ("plain", "reported"):
            quantity = next(q for a, q in held.items() if address == a or address in q.aliases)
            assert quantity.low is None or Fraction(quantity.low) <= value
            assert quantity.high is None or value <= Fraction(quantity.high)


@LAW
@given(sources(), terms, terms)
def test_a_verdict_that_holds_holds_for_every_sample(assumed: list[Assumed], a: Term, b: Term) -> None:
    text = f'{_written(assumed)}\na = {a.text}\nb = {b.text}\nrequire a <= b "less"\n'
    document = compiled(text).document
    assert document is not None
    [verdict] = document.verdicts
    for values in _samples(assumed):
        one, two = a.at(values), b.at(values)
        assert one is not None
        assert two is not None
        assert verdict.status != "holds" or one <= two
        assert verdict.status != "violated" or one > two


@LAW
@given(sources(), terms)
def test_what_an_interval_does_not_lean_on_does_not_move_it(assumed: list[Assumed], term: Term) -> None:
    text = f"{_written(assumed)}\nreported = {term.text}\nreport reported\n"
    document = compiled(text).document
    assert document is not None
    [quantity] = [q for q in document.quantities if "reported" in (q.address, *q.aliases)]
    free = set("xyz") - set(quantity.sources)
    low = {a.name: a.low for a in assumed}
    for values in _samples(assumed):
        frozen = {name: low[name] if name in free else value for name, value in values.items()}
        value = term.at(frozen)
        assert value is not None
        assert quantity.low is None or Fraction(quantity.low) <= value
    if not quantity.sources:
        assert quantity.low == quantity.high


# ── nothing that is written raises ───────────────────────────────────────────────────────────────

WORDS = [
    "x", "prod", "3", "0", "1e9", "2.5", "-1", "16 tokens/block", "3 GiB", "35%", '"words"', "true", "=", "<=", ">=", "~",
    ":", "{", "}", "(", ")", "[", "]", ",", ".", "..", "+", "-", "*", "/", "^", "^2", "and", "or", "not", "if", "then", "else",
    "in", "for", "where", "is", "as pool", "over layer", "each token", "kind itl", "kind pool", "whole", "static whole",
    "signed", "list of model named group", "one of a, b", "sum(g for g in model.groups)", "min([])", "split(3, 2)",
    "range(3)", "nth([1], 3)", "largest n in 1 token .. 9 tokens where n <= 3 tokens", "causal", "window(4 tokens)",
    "lognormal(median: 2 tokens, p95: 9 tokens)", "default 3", 'caveat a for time "b"', "excludes a", "discharges a",
    "override", "use std", "entity", "formula", "assume", "require", "expect", "option", "report", "measure", "moved",
    "prod@x", "model", "groups", "full", "byte", "token/s", ";", "\n", "\n}\n", "\n{\n",
]  # fmt: skip


def _mutated(draw: st.DrawFn, text: str) -> str:
    pieces = re.findall(r"[\w@]+|\s+|\"[^\"\n]*\"|[^\w\s]", text)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(pieces) - 1))
        match draw(st.sampled_from(["drop", "replace", "insert", "swap", "line", "twice"])):
            case "drop":
                pieces[at] = " "
            case "replace":
                pieces[at] = f" {draw(st.sampled_from(WORDS))} "
            case "insert":
                pieces.insert(at, f" {draw(st.sampled_from(WORDS))} ")
            case "swap":
                other = draw(st.integers(0, len(pieces) - 1))
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case "line":
                lines = "".join(pieces).split("\n")
                lines.pop(draw(st.integers(0, len(lines) - 1)))
                pieces = re.findall(r"[\w@]+|\s+|\"[^\"\n]*\"|[^\w\s]", "\n".join(lines)) or [" "]
            case _:
                lines = "".join(pieces).split("\n")
                line = draw(st.sampled_from(lines))
                lines.insert(draw(st.integers(0, len(lines))), line)
                pieces = re.findall(r"[\w@]+|\s+|\"[^\"\n]*\"|[^\w\s]", "\n".join(lines)) or [" "]
    return "".join(pieces)


@st.composite
def spoilt_examples(draw: st.DrawFn) -> str:
    return _mutated(draw, draw(st.sampled_from([BOXES, *(p.read_text(encoding="utf-8") for p in EXAMPLES)])))


@st.composite
def spoilt_library(draw: st.DrawFn) -> dict[str, str]:
    """One file of the library, spoilt, by the path under which it is shown."""
    path = draw(st.sampled_from([p for p in plan_files() if "std" in p.parts]))
    shown = path.relative_to(PLANS / "std").as_posix()
    return {f"std/{shown}": _mutated(draw, path.read_text(encoding="utf-8"))}


def _judged(found: object) -> None:
    assert found.diagnostics or found.document is not None  # type: ignore[attr-defined]
    for diagnostic in found.diagnostics:  # type: ignore[attr-defined]
        assert re.fullmatch(r"CW\d{4}", diagnostic.code)
        assert diagnostic.message
        assert diagnostic.help or diagnostic.severity != "error"
        source = found.sources.get(diagnostic.span.file)  # type: ignore[attr-defined]
        assert source is not None, diagnostic
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(source.text)


@settings(LAW, max_examples=60)
@given(spoilt_examples())
def test_a_spoilt_plan_gives_messages_and_never_raises(text: str) -> None:
    found = compiled(text, root=FOLDER)
    _judged(found)
    assert found.sound is not None


@SLOW
@given(spoilt_library())
def test_a_spoilt_library_gives_messages_and_never_raises(files: dict[str, str]) -> None:
    example = (FOLDER / "own-layout.plan").read_text(encoding="utf-8")
    found = compiled(example, files)
    _judged(found)


@SLOW
@given(spoilt_examples())
def test_compiling_twice_says_the_same(text: str) -> None:
    one, two = compiled(text, root=FOLDER), compiled(text, root=FOLDER)
    assert codes(one) == codes(two)
    assert one.document == two.document
