"""What an option shares with its base: calls that read nothing that it changes, and no others."""

from __future__ import annotations

import pytest

from tests.support.programs import compiled


def number(found, address: str) -> str:
    assert not found.failed, found.diagnostics
    for held in found.document.quantities:
        if address == held.address or address in held.aliases:
            return held.low
    raise AssertionError(address)


def call(found, name: str) -> int:
    """The node of the call that a name at the top of a plan stands for."""
    ctx = found.judged.expansion.ctx
    return ctx.tape.args[ctx.bound[name].value.node][0]


PLAN = """\
entity dev {{ rate : number; slots : whole }}
dev g {{ rate = 2; slots = 8 }}
dev t {{ rate = 5; slots = 8 }}
entity part {{ width : whole }}
entity dep {{
  d : dev
  other : dev
  n : whole
  parts : list of part named part
  size {{ each : number = n * 2 }}
}}
{formulas}
dep prod {{ d = g; other = g; n = 3; part one {{ width = 4 }} }}
option changed of prod {{ {changes} }}
asked = found(prod)
report prod
require asked <= 0 "asked"
"""
CASES = {
    # formulas, what the option changes, of the base, of the option, whether it is one call
    "nothing of it": ("formula found(p: dep) : number = p.n * 7", "d = t", 21, 21, True),
    "a field": ("formula found(p: dep) : number = p.n * 7", "n = 4", 21, 28, False),
    "another field of a thing": ("formula found(p: dep) : number = p.d.slots * p.n", "d = t", 24, 24, False),
    "inside of a thing": ("formula found(p: dep) : number = p.d.rate * p.n", "d.rate = 9", 6, 27, False),
    "beside, inside of a thing": ("formula found(p: dep) : number = p.d.rate * p.n", "d.slots = 9", 6, 6, True),
    "a block": ("formula found(p: dep) : number = p.size.each + 1", "d = t", 7, 7, True),
    "below a block": ("formula found(p: dep) : number = p.size.each + 1", "n = 5", 7, 11, False),
    "an element": ("formula found(p: dep) : number = sum(e.width for e in p.parts)", "parts.one.width = 5", 4, 5, False),
    "beside an element": ("formula found(p: dep) : number = sum(e.width for e in p.parts)", "n = 5", 4, 4, True),
    "which things are alike": ("formula found(p: dep) : number = if p.d == p.other then 1 else 2", "d = t", 1, 2, False),
    "a thing that a formula finds": (
        "formula device(p: dep) : dev = p.d\nformula found(p: dep) : number = device(p).rate * 10",
        "d = t", 20, 50, False,
    ),
    "a whole that a formula finds": (
        ("formula itself(p: dep) : dep = p\nformula found(p: dep) : number = itself(p).n + outer(itself(p))\n"
        "formula outer(p: dep) : number = p.n"),
        "n = 5", 6, 10, False,
    ),
    "the base by its name as well": ("formula found(p: dep) : number = p.n * 10 + prod.n", "n = 4", 33, 43, False),
    "the base by its name, where the option is alike": (
        "formula found(p: dep) : number = p.other.rate + prod.n * 10", "n = 4", 32, 32, False
    ),
    "by way of another": (
        "formula inner(p: dep) : number = p.n\nformula found(p: dep) : number = inner(p) * 3", "n = 4", 9, 12, False
    ),
    "what it came to decides": (
        "formula found(p: dep) : number = if p.n > 3 then p.d.rate else p.other.rate", "d = t", 2, 2, True
    ),
    "what it would have come to": (
        "formula found(p: dep) : number = if p.n > 2 then p.d.rate else p.other.rate", "d = t", 2, 5, False
    ),
    "a copy that it makes": (
        "formula found(p: dep) : number = rate(p.d { slots = 1 })\nformula rate(d: dev) : number = d.rate * d.slots",
        "n = 4", 2, 2, False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_option_shares_what_it_does_not_change(case: str) -> None:
    formulas, changes, base, option, shared = CASES[case]
    found = compiled(
        PLAN.format(formulas=formulas, changes=changes) + "ours = found(prod@changed)\nreport ours\n"
    )
    assert number(found, "asked") == str(base)
    assert number(found, "ours") == str(option)
    assert (call(found, "asked") == call(found, "ours")) is shared
