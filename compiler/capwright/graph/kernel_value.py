"""The bridge from the tape to the kernel's primitives."""

from __future__ import annotations

from typing import Final, cast

from capwright.base.interval import Value
from capwright.graph.tape import KernelCall, Tape
from capwright.kernel import registry
from capwright.kernel.contract import StaticValue
from capwright.kernel.refusal import KernelRefusal

MOST_WORK: Final = 1_000_000
"""Pieces of masks that the primitives of a plan may take together, whatever it says: as many as one mask may take."""
_WORK_A_NODE: Final = 10
"""As much more for each node of the tape."""


def kernel_value(call: KernelCall, values: list[Value]) -> Value:
    """What a primitive comes to for its static arguments and these values."""
    return registry.call(call.function, cast("list[StaticValue]", list(call.static)), values)


class KernelWithin:
    """The same for one evaluation of a tape, with a limit on what all primitives take together. The one that passes it is
    refused; those after it have no value, of which nothing is said. A tape that is evaluated in many states may take as
    much so many `times`."""

    def __init__(self, tape: Tape, times: int = 1) -> None:
        self._tape = tape
        self._times = times
        self._spent = 0
        self._told = False

    def __call__(self, call: KernelCall, values: list[Value]) -> Value | None:
        """The value of a primitive; raises `KernelRefusal`."""
        if self._told:
            return None
        value = kernel_value(call, values)
        self._spent += registry.work(call.function, cast("list[StaticValue]", list(call.static)), values)
        if self._spent <= self._times * (MOST_WORK + _WORK_A_NODE * len(self._tape)):
            return value
        self._told = True
        raise KernelRefusal(
            "CW0646",
            f"here the masks and distributions of this plan have taken more than {MOST_WORK:,} steps to count",
            "ask fewer figures of them, search a shorter range, or take masks of fewer pieces",
        )
