"""The shapes in which the kernel describes itself to the checker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from capwright.base.interval import Value
from capwright.kernel.lengths import Lengths
from capwright.kernel.masks import Mask

StaticValue = Mask | Lengths
Sort = Literal["mask", "lengths", "quantity", "text", "list"]


class Slot(Struct, frozen=True):
    """One argument. `unit` is the unit of a quantity or of a list's items, as a plan spells it ("" for a pure
    number); quantities arrive as exact numbers in base units, lists as sequences of them. A slot with a
    `default` may be left out, and the default is built with in its place; a `variadic`
    one takes all further positional arguments."""

    name: str
    sort: Sort
    unit: str = ""
    default: object | None = None
    variadic: bool = False


class Constructor(Struct, frozen=True):
    """A name that builds a static value. `build` takes one argument a slot, in their order; the slots' names are also
    its parameters'. It raises only `KernelRefusal`."""

    name: str
    result: Literal["mask", "lengths"]
    slots: tuple[Slot, ...]
    build: Callable[..., StaticValue]
    help: str


class Primitive(Struct, frozen=True):
    """A function from static values and quantities to one number.

    Static slots come first. `evaluate` takes one argument a slot, with exact points for quantities, and
    raises only `KernelRefusal`. `monotone` gives, for each quantity slot, +1 or -1 where the result can only
    grow or fall with it whatever the static values, and 0 where neither is certain.
    """

    name: str
    slots: tuple[Slot, ...]
    result_unit: str
    evaluate: Callable[..., Value]
    monotone: tuple[int, ...]
    help: str
