"""The bridge from the tape to the kernel's primitives."""

from __future__ import annotations

from typing import cast

from capwright.base.interval import Value
from capwright.graph.tape import KernelCall
from capwright.kernel import registry
from capwright.kernel.contract import StaticValue


def kernel_value(call: KernelCall, values: list[Value]) -> Value:
    """What a primitive comes to for its static arguments and these values."""
    return registry.call(call.function, cast("list[StaticValue]", list(call.static)), values)
