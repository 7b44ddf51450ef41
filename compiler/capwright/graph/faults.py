"""What can go wrong while a tape is evaluated, in the words of whoever wrote the plan."""

from __future__ import annotations

from math import floor
from typing import Final, cast

from msgspec import Struct

from capwright.base import ends
from capwright.base.ends import Ends
from capwright.base.exact import MAX_BITS, Number, div
from capwright.base.interval import Range, Value, ends_of
from capwright.base.rounding import MINUS, Direction, shown_together

UNIT: Final = "\N{SYMBOL FOR UNIT SEPARATOR}"
"""Stands in the words of a refusal where the unit of its numbers belongs, which only whoever has the tape knows."""


class Fault(Struct, frozen=True):
    """A node that has no value: the code, the words and the way out of a diagnostic at its place."""

    node: int
    code: str
    message: str
    help: str


class Refusal(Exception):
    """Raised by the rule of one operation, turned into a `Fault` of its node by the evaluator."""

    def __init__(self, code: str, message: str, help: str) -> None:
        super().__init__(code, message, help)
        self.code = code
        self.message = message
        self.help = help

    def told(self, unit: str) -> tuple[str, str]:
        """Its words and the way out, its numbers in `unit`, the base units of what it refuses; "" for pure numbers."""
        said = f" {unit}" if unit else ""
        return self.message.replace(UNIT, said), self.help.replace(UNIT, said)


def spelled(value: Value | None) -> str:
    """A value in base units for a message, rounded as in a report: `3`, `1,365.3`, `2 .. open`."""
    low, high = (None, None) if value is None else ends_of(value)
    if low is not None and low == high:
        return _number(low)
    ends: tuple[tuple[Number | None, Direction], ...] = ((low, "down"), (high, "up"))
    told = iter(_told(*((end, way) for end, way in ends if end is not None)))
    return " .. ".join("open" if end is None else next(told) for end, _ in ends)


def _number(value: Number) -> str:
    """A number with as many digits as tell it from whole ones."""
    return _told((value, "nearest"), (round(value), "nearest"))[0]


def _told(*ends: tuple[Number, Direction]) -> tuple[str, ...]:
    """Numbers of one dimension side by side, their signs as a plan has them."""
    return tuple(text.replace(MINUS, "-") for text in shown_together(ends, alike=False))


def divisor_is_zero() -> Refusal:
    return Refusal(
        "CW0420",
        "this divides by exactly zero",
        "guard the division, as in `if n > 0 then a / n else 0`, or correct the value of the divisor",
    )


def zero_inside(divisor: Value | None) -> Refusal:
    return Refusal(
        "CW0421",
        f"the divisor may be zero, for all that is established: it lies in {spelled(divisor)}{UNIT}",
        "narrow the range of what the divisor leans on, or bound it away from zero with `max(…)`",
    )


def too_many_digits() -> Refusal:
    return Refusal(
        "CW0422",
        f"this number would need more than {MAX_BITS:,} bits: it is over the budget of digits",
        "look for repeated squaring or a huge exponent on the way to this value, and for a wrong unit",
    )


def not_whole(name: str, value: Value, unit: str) -> Refusal:
    of = f" {unit}" if unit else ""
    low, high = ends_of(value)
    way = "choose inputs that divide evenly, or round where rounding is meant: `ceil(…)` or `floor(…)`"
    if low is not None and low == high:
        way = (
            f"write {floor(low):,} or {floor(low) + 1:,}, or round what is computed: `ceil(…)` or `floor(…)`"
        )
    return Refusal("CW0423", f"{name} must be a whole number, but is {spelled(value)}{of}", way)


def outside_domain(
    name: str,
    found: Value,
    domain: Ends,
    unit: str,
    grain: Number,
    *,
    foreign: bool,
    written: bool = False,
    assumed: bool = False,
) -> Refusal:
    """A value in base units outside a declared domain, told in `unit`, which has `grain` of them.

    A domain that is `foreign` is the library's, and no plan can widen it. What is `written` is no computed number.
    """
    shown, allowed = (counted(each, grain) for each in (found, Range(domain[0], None, domain[1])))
    of = f" {unit}" if unit else ""
    way = f"write a value in {spelled(allowed)}{of}" if written else "correct what it is computed from"
    if (share := _as_share(shown, allowed)) and not unit:
        way = f"if it is a share of a hundred, write {share}"
    return Refusal(
        "CW0424",
        f"{name} is {'assumed in ' if assumed else ''}{spelled(shown)}{of}, outside its domain {spelled(allowed)}{of}",
        way if foreign else f"{way}, or widen the domain declared for {name}",
    )


def counted(value: Value, grain: Number) -> Value:
    """A value in base units as so many of `grain` each."""
    if not isinstance(value, Range):
        return div(value, grain)
    low, nominal, high = (None if end is None else div(end, grain) for end in value[:3])
    return Range(low, nominal, high, value.approximate)


def _as_share(found: Value, domain: Value) -> str:
    """How whole numbers are written as so many of a hundred, if that is in the domain, and they are too large for it."""
    between, high = ends_of(found), ends_of(domain)[1]
    if high is None or any(type(end) is not int or end <= max(high, 1) for end in between):
        return ""
    low, top = (cast("int", end) for end in between)
    if not ends.within((div(low, 100), div(top, 100)), ends_of(domain)):
        return ""
    return f"`{low}%` or `{low // 100}.{low % 100:02d}`" if low == top else f"`{low}%` and `{top}%`"


def nominal_outside_range(nominal: Value, between: Value) -> Refusal:
    return Refusal(
        "CW0425",
        f"the assumed value {spelled(nominal)} lies outside its own range {spelled(between)}{UNIT}",
        "give a range that contains the value: `assume x = 0.8 in 0.7 .. 0.9`",
    )


def empty_range(low: Number, high: Number) -> Refusal:
    return Refusal(
        "CW0425",
        f"the assumed range is empty: its low end {_number(low)}{UNIT} is above its high end {_number(high)}{UNIT}",
        "write the lower end first: `in 0.7 .. 0.9`",
    )


def not_defined_below_zero(function: str, value: Value) -> Refusal:
    low, high = ends_of(value)
    verb = "is" if low is not None and low == high else "lies in"
    certain = high is not None and (high < 0 or (function == "log2" and high == 0))
    said = "is not defined here" if certain else "may not be defined here, for all that is established"
    return Refusal(
        "CW0426",
        f"`{function}` {said}: its argument {verb} {spelled(value)}{UNIT}",
        "keep the argument positive, for example with `max(…)`",
    )


def search_is_open(end: str) -> Refusal:
    return Refusal(
        "CW0427",
        f"the {end} end of the search is open, so there is no last number to try",
        "search up to an exact number: `largest n in 1 token .. 128k tokens where …`",
    )


def search_is_not_monotone(which: str, fails: Number, holds: Number) -> Refusal:
    return Refusal(
        "CW0428",
        _one_turn(which),
        f"at {_number(fails)} the condition fails and at {_number(holds)} it holds: use "
        f"`{'smallest' if which == 'largest' else 'largest'}`, or turn the comparison round",
    )


def search_turns_twice(which: str, fails: Number, holds: Number) -> Refusal:
    way = "after" if which == "largest" else "before"
    return Refusal(
        "CW0428",
        _one_turn(which),
        f"it holds at {_number(holds)}, {way} it fails at {_number(fails)}{UNIT}: write a condition that "
        "turns once, or look at every number: `max(x for x in range(100) where …)`",
    )


def _one_turn(which: str) -> str:
    how = "holds up to some number and fails" if which == "largest" else "fails up to some number and holds"
    return f"`{which}` needs a condition that {how} from there on"


def search_takes_too_long(budget: int) -> Refusal:
    return Refusal(
        "CW0429",
        f"this search would take more than {budget:,} steps of evaluation",
        "search a shorter range, or move what does not depend on the searched number out of the condition",
    )
