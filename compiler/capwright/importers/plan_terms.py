"""Plan text of single values: numbers, units, and the factors of a count as a plan can say them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from msgspec import Struct, field

from capwright.importers.descriptions import Description
from capwright.importers.facts import WITH_UNIT, Facts, follows
from capwright.importers.formulas import Expression, Unfit, arithmetic, parse, substituted
from capwright.importers.quantisation import Quantisation

_UNITS: Final = {
    "q_heads": "q_head", "kv_heads": "kv_head", "state_heads": "state_head", "layers": "layer",
    "stored_layers": "layer", "window": "token", "selected": "token",
}  # fmt: skip


class Writer(Struct):
    """One model's text under way: `used` are the fields that its tensors are computed from, `uneven` the tensors of which
    some experts are stored in another way, with their number and that of all."""

    description: Description
    facts: Facts
    quantisation: Quantisation
    used: dict[str, None] = field(default_factory=dict)
    uneven: dict[str, tuple[int, int]] = field(default_factory=dict)


def term(writer: Writer, expression: Expression, layer: int | None) -> str:
    """A factor of a count as plan text: over the model's fields where a plan can say it, else its number."""
    facts = writer.facts
    plain = {name: facts.value(parse(name), layer) for name in expression.names}
    own = [name for name in expression.names if facts.has(name) and name not in WITH_UNIT]
    if not arithmetic(expression) or not all(type(value) is int for value in plain.values()):
        return shown(facts.value(expression, layer))
    _use(writer, own)
    text = substituted(expression, {name: value for name, value in plain.items() if name not in own})
    return f"({text})" if any(sign in text for sign in "+-/") and not text.startswith("ceil(") else text


def _use(writer: Writer, names: Sequence[str]) -> None:
    """Note fields, and those from which they follow, as read by the text."""
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in writer.used:
            continue
        writer.used[name] = None
        fact = writer.facts.of(name)
        if follows(fact, writer.facts):
            waiting += fact.expression.names  # type: ignore[union-attr]  # `follows` says that there is one


def whole(value: Any, expression: Expression) -> int:
    """A value that must be a whole number from zero up; raises `Unfit`."""
    if type(value) is not int or value < 0:
        raise Unfit(f"{expression.text} is {shown(value)}, and must be a whole number", expression)
    return value


def unit(name: str, value: Any) -> str:
    """The unit behind the value of a field of a layer group, with its space; empty for plain numbers."""
    named = _UNITS.get(name)
    return "" if named is None else f" {named}" if value == 1 else f" {named}s"


def shown(value: Any) -> str:
    """A value as a plan writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:_}" if value >= 10_000 else str(value)
    if isinstance(value, Fraction):
        return f"{value.numerator} / {value.denominator}"
    return str(value)
