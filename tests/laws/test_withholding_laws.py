"""Laws of what others are told: of plans that differ in a confidential number alone, the same bytes."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capwright.document.codec import to_json
from capwright.document.withholding import withheld
from tests.support.programs import compiled

LAW = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))

DECLARED = """
kind size : number for capacity "size"
kind speed : number for time "speed"
formula crowded(x: number) : number
  caveat waits for capacity "more than it runs"
  excludes queue
  = x
formula queue(x: number) : number = x
formula cautious(x: number) : number
  caveat guessed for capacity, time "nobody has looked"
  = x
formula lasting(x: number) : number
  caveat forever permanent for time "no formula can tell"
  = x
formula looked(x: number) : number discharges guessed = x
held : number = {n} confidential
open : number = 5
"""


FORMULAS = ("crowded", "queue", "cautious", "lasting", "looked")


@st.composite
def numbers(draw: st.DrawFn) -> tuple[str, ...]:
    """Quantities that are made of earlier ones, of a confidential number and of one that is none; mostly by branches."""
    known, lines = ["held", "open"], list[str]()

    def part() -> str:
        name = draw(st.sampled_from(known))
        formula = draw(st.sampled_from(["", *FORMULAS]))
        return f"{formula}({name})" if formula else name

    for number in range(draw(st.integers(1, 5))):
        condition = draw(st.sampled_from(known))
        made = draw(
            st.sampled_from(
                [
                    f"if {condition} > 5 then {part()} else {part()}",
                    f"if held > 5 then {part()} else {part()}",
                    f"{part()} + {part()}",
                    f"max({part()}, {part()})",
                ]
            )
        )
        kind = draw(st.sampled_from(["", " kind size", " kind speed"]))
        lines.append(f"q{number} : number{kind} = {made}")
        known.append(f"q{number}")
    return tuple(lines)


@LAW
@given(numbers(), st.integers(1, 5), st.integers(6, 9))
def test_what_others_are_told_does_not_depend_on_a_confidential_number(
    lines: tuple[str, ...], one: int, other: int
) -> None:
    text = DECLARED + "\n".join(lines) + '\nrequire q0 <= 1_000_000 "met"\nreport q0\n'
    docs = [compiled(text.format(n=n)).sound for n in (one, other)]
    assert to_json(withheld(docs[0])) == to_json(withheld(docs[1]))


@LAW
@given(numbers(), st.integers(1, 9))
def test_others_are_told_every_caveat_that_stands(lines: tuple[str, ...], n: int) -> None:
    doc = compiled((DECLARED + "\n".join(lines)).format(n=n)).sound
    for own, told in zip(doc.quantities, withheld(doc).quantities, strict=True):
        assert {*own.caveats_here, *own.caveats_inherited} <= {*told.caveats_here, *told.caveats_inherited}
        assert {*own.exclusions} <= {*told.exclusions}
