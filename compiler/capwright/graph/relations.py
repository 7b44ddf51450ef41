"""What a relation, a declared domain and a measurement establish of a value."""

from __future__ import annotations

import math

from capwright.base import ends
from capwright.base.ends import Ends
from capwright.base.exact import Number, div
from capwright.base.interval import Range, Value, clip, collapse, ends_of, is_approximate, nominal_of, ranged
from capwright.graph import faults
from capwright.graph.tape import BindInfo, CallInfo


def declared_domain(info: BindInfo | CallInfo) -> Ends | None:
    """The domain that was written, or None for the default `0 ..` and for a signed quantity.

    A written domain is a fact and clips; the default one does not, so that a quantity that may turn
    negative shows it.
    """
    if info.high is None and (info.low is None or info.low == 0):
        return None
    return (info.low, info.high)


def related(value: Value, info: BindInfo | CallInfo) -> Value:
    """What `name RELATION value` establishes of the named quantity. Raises `Refusal` outside its domain."""
    relation = info.relation
    if relation == "~":
        value = _about(value, info)
    elif relation == ">=":
        value = Range(ends_of(value)[0], None, None, is_approximate(value))
    elif relation == "<=":
        value = _at_most(value, info.low)
    domain = declared_domain(info)
    return value if domain is None else _clipped(value, domain, info)


def _about(value: Value, info: BindInfo | CallInfo) -> Value:
    """An estimate: its domain alone. One below that has no low end, so that its domain does not say what it denies."""
    nominal = nominal_of(value)
    below = nominal is not None and info.low is not None and nominal < info.low
    return Range(None if below else info.low, nominal, info.high, is_approximate(value))


def _at_most(value: Value, low: Number | None) -> Value:
    high = ends_of(value)[1]
    if low is not None and high is not None and high < low:
        low = None
    return Range(low, None, high, is_approximate(value))


def _clipped(value: Value, domain: Ends, info: BindInfo | CallInfo) -> Value:
    try:
        return clip(value, domain)
    except ValueError as outside:
        raise _outside(info, outside.args[0], domain) from None


def _outside(
    info: BindInfo | CallInfo, found: Value, domain: Ends, *, assumed: bool = False
) -> faults.Refusal:
    return faults.outside_domain(
        name_of(info), found, domain, info.unit, info.grain,
        foreign=info.foreign, written=isinstance(info, BindInfo) and info.written, assumed=assumed,
    )  # fmt: skip


def check_whole(value: Value, info: BindInfo | CallInfo) -> None:
    """Raise `Refusal` for a `whole` quantity that cannot be one: a fraction, a range between two whole numbers, or one
    whose nominal value is a fraction. Ends may be: the numbers between them that are whole are meant."""
    low, high = ends_of(value)
    if low is not None and high is not None:
        first, last = div(low, info.grain), div(high, info.grain)
        if math.ceil(first) > math.floor(last):
            raise faults.not_whole(name_of(info), collapse(Range(first, first, last)), info.unit)
    nominal = nominal_of(value)
    if nominal is not None and type(counted := div(nominal, info.grain)) is not int:
        whose = f"the nominal value of {name_of(info)}" if isinstance(value, Range) else name_of(info)
        raise faults.not_whole(whose, counted, info.unit)


def assumed(nominal: Value | None, low: Value | None, high: Value | None) -> Value:
    """The range of a named source; None for an end that is open. Raises `Refusal` for an empty one."""
    between = (None if low is None else ends_of(low)[0], None if high is None else ends_of(high)[1])
    if between[0] is not None and between[1] is not None and between[0] > between[1]:
        raise faults.empty_range(between[0], between[1])
    middle = None if nominal is None else nominal_of(nominal)
    if middle is not None and not ends.contains(between, middle):
        raise faults.nominal_outside_range(middle, Range(between[0], None, between[1]))
    approximate = any(part is not None and is_approximate(part) for part in (nominal, low, high))
    return ranged(between, middle, approximate=approximate)


def closed_by_domain(value: Range, info: BindInfo | CallInfo) -> Value:
    """An assumed range with its open ends closed by the domain of the quantity it is assumed of.

    Raises `Refusal` where a written end leaves the domain, the default one too.
    """
    low = info.low if value.low is None else value.low
    high = info.high if value.high is None else value.high
    if not ends.within((low, high), (info.low, info.high)):
        raise _outside(info, value, (info.low, info.high), assumed=True)
    return value._replace(low=low, high=high)


def name_of(info: BindInfo | CallInfo) -> str:
    """What a message calls a quantity, or the result of a formula."""
    return f"`{info.name if isinstance(info, BindInfo) else info.formula}`"


def effective(derived: Value | None, measured: Value | None) -> Value | None:
    """A quantity read together with its measurement: what both allow, with the measured nominal or, where that
    is not allowed, what comes nearest to it.

    Where they contradict each other the derived value stands.
    """
    if derived is None or measured is None:
        return measured if derived is None else derived
    between = ends.meet(ends_of(derived), ends_of(measured))
    if between is None:
        return derived
    middle = nominal_of(measured)
    nominal = None if middle is None else ends.clamp(ends.point(middle), between)[0]
    approximate = is_approximate(derived) or is_approximate(measured)
    return ranged(between, nominal, approximate=approximate)
