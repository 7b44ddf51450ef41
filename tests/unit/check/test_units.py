"""The unit table that `unit` statements make, in whatever order they stand."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest

from capwright.base.dimension import UnitTable, UnknownUnit, dimension
from capwright.base.source import Source
from capwright.check import units
from capwright.check.declared import Lost
from capwright.check.report import Report
from capwright.check.units import unit_table
from capwright.syntax.parse import parse
from capwright.syntax.tree import UnitDecl


def table(text: str) -> tuple[UnitTable, list[str]]:
    module, problems = parse(Source("units.plan", text))
    assert not problems
    report = Report()
    made = unit_table([s for s in module.statements if isinstance(s, UnitDecl)], report, Lost())
    return made, [d.code for d in report.found]


UNITS = """
unit byte, bytes symbol B prefixes decimal binary
unit second, seconds symbol s prefixes decimal
unit minute = 60 s
unit hour, hours = 60 minute
unit dollar symbol $
unit device, devices counting
unit GPU = 1 device
unit joule symbol J
unit watt symbol W prefixes decimal = 1 J/s
unit percent symbol % = 0.01
"""


@pytest.mark.parametrize(
    ("spelling", "powers", "factor"),
    [
        ("KiB", {"byte": 1}, 1024),
        ("PB", {"byte": 1}, 10**15),
        ("ms", {"second": 1}, Fraction(1, 1000)),
        ("hour", {"second": 1}, 3_600),
        ("GB/s", {"byte": 1, "second": -1}, 10**9),
        ("byte^2", {"byte": 2}, 1),
        ("1/s", {"second": -1}, 1),
        ("$/GPU-hour", {"dollar": 1, "device": -1, "second": -1}, Fraction(1, 3_600)),
        ("kW", {"joule": 1, "second": -1}, 1_000),
        ("%", {}, Fraction(1, 100)),
        ("GiB/device*s", {"byte": 1, "device": -1, "second": 1}, 2**30),
        ("B/s/device", {"byte": 1, "device": -1, "second": -1}, 1),
        ("s^-1", {"second": -1}, 1),
    ],
)
def test_a_spelling(spelling: str, powers: dict[str, int], factor: int | Fraction) -> None:
    made, found = table(UNITS)
    assert not found
    unit = made.read(spelling)
    assert unit.dim is dimension(powers)
    assert unit.factor == factor


def test_any_order_makes_the_same_table() -> None:
    lines = ["unit hour = 60 minute", "unit minute = 60 s", "unit second symbol s", "unit speed = 3 s/s"]
    tables = [table("\n".join(order)) for order in permutations(lines)]
    assert {tuple(sorted(made.by_name)) for made, _ in tables} == {("hour", "minute", "s", "second", "speed")}
    assert {made.read("hour").factor for made, _ in tables} == {3_600}


@pytest.mark.parametrize("spelling", ["bites", "GiBs", "byte/secnd", "byte/", "byte//s"])
def test_what_is_no_unit(spelling: str) -> None:
    made, _ = table(UNITS)
    with pytest.raises(UnknownUnit):
        made.read(spelling)


def test_only_counting_dimensions_count() -> None:
    made, _ = table(UNITS)
    assert made.counting == {"device"}


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("unit a = 2 b", ["CW0304"]),
        ("unit a = 2 b\nunit b = 2 a", ["CW0304"]),
        ("unit a = 2 a", ["CW0304"]),
        ("unit a = 2 a\nunit a = 2 a", ["CW0304"]),
        ("unit a = 1 b\nunit a = 1 b\nunit b = 1 a", ["CW0304"]),
        ("unit b = 1 a\nunit a = 1 b\nunit a = 1 b", ["CW0304"]),
        ("unit a = 1 b\nunit a = 1 c\nunit b = 1 a\nunit c = 1 a", ["CW0304"]),
        ("unit c, d = 1 b\nunit b, e = 1 d\nunit e, b = 1 c", ["CW0304"]),
        ("unit a\nunit b = a", ["CW0305"]),
        ("unit a\nunit b = 1 a + 1 a", ["CW0305"]),
        ("unit a\nunit b = 1 a / 0", ["CW0305"]),
        ("unit a\nunit c\nunit b = 1 a\nunit b = 1 c", ["CW0306"]),
        ("unit a\nunit b = 1 a\nunit b = 1 a", []),
        ("unit m prefixes decimal\nunit mm = 2 m", ["CW0306"]),
        ("unit m prefixes multiples\nunit mm = 2 m", []),
        ("unit m prefixes submultiples\nunit km = 2 m", []),
        ("unit m prefixes metric\nunit km = 2 m", ["CW0316"]),
    ],
)
def test_what_is_wrong_is_said(text: str, codes: list[str]) -> None:
    assert table(text)[1] == codes


def test_units_each_of_which_waits_for_the_next_are_read_in_one_go(monkeypatch):
    """However they stand, a unit is looked at when it is met, and once more when what it waited for is there."""
    looked_at = []
    declare = units._declare
    monkeypatch.setattr(units, "_declare", lambda decl, *rest: looked_at.append(decl) or declare(decl, *rest))
    count = 300
    text = "\n".join(f"unit a{at} = 2 a{at + 1}" for at in range(count)) + f"\nunit a{count}\n"
    made, codes = table(text)
    assert codes == []
    assert made.read("a0").factor == 2**count
    assert len(looked_at) <= 2 * count + 1
