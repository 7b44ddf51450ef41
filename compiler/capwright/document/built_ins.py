"""What the language itself has: its functions over masks and lengths of prompts, each with its arguments, units, and what it
is, the words that open a statement or a clause, those of expressions, and what reads files."""

from __future__ import annotations

from msgspec import Struct

from capwright.importers import READERS
from capwright.kernel.contract import Slot
from capwright.kernel.registry import CONSTRUCTORS, PRIMITIVES
from capwright.syntax.forms import CLAUSES, EXPRESSIONS, STATEMENTS, VERDICTS, Form


class BuiltInText(Struct, frozen=True):
    """A built-in function: how it is called, argument by argument with its type or unit, what it gives, and in words."""

    name: str
    signature: str
    words: str


def word(name: str) -> Form | None:
    """What a word of the language, or that of a verdict, says, and its form; None where it has none of the name."""
    tables = (STATEMENTS, CLAUSES, EXPRESSIONS, VERDICTS)
    return next((table[name] for table in tables if name in table), None) or _reading(name)


def words() -> list[Form]:
    """The words of expressions, then what reads files."""
    return [*EXPRESSIONS.values(), *(form for name in READERS if (form := _reading(name)) is not None)]


def _reading(name: str) -> Form | None:
    reader = READERS.get(name)
    return None if reader is None else Form(reader.written, f"reads {reader.help}", reader.section)


def built_in(name: str) -> BuiltInText | None:
    """What a built-in function is; None where there is none of the name."""
    if (made := CONSTRUCTORS.get(name)) is not None:
        return BuiltInText(name, f"{name}({_arguments(made.slots)}) : {made.result}", made.help)
    if (counted := PRIMITIVES.get(name)) is not None:
        return BuiltInText(
            name, f"{name}({_arguments(counted.slots)}) : {counted.result_unit or 'number'}", counted.help
        )
    return None


def built_ins() -> list[BuiltInText]:
    """All of them: what makes masks and lengths, then what counts them."""
    return [found for name in (*CONSTRUCTORS, *PRIMITIVES) if (found := built_in(name)) is not None]


def _arguments(slots: tuple[Slot, ...]) -> str:
    return ", ".join(map(_argument, slots))


def _argument(slot: Slot) -> str:
    """`size : token`, `lengths : [token]`, `ahead : token default 0`."""
    unit = slot.unit or "number"
    type_ = {"quantity": unit, "list": f"[{unit}]"}.get(slot.sort, slot.sort)
    rest = "" if slot.default is None else f" default {slot.default}"
    return f"{slot.name} : {type_}{rest}{' …' if slot.variadic else ''}"
