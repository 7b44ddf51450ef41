"""Room for deep recursion.

CPython 3.11 and later keep the frames of Python functions in chunks of 16 KiB, map a new one where a call does not fit
into the last, and unmap it as soon as that call is back. A recursion that goes to and fro across such an edge asks the
system for memory at every call: a tenth of a compile's time went there. A function whose own frame is large gets a large
chunk, and what it calls stays in what is left of that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import FunctionType
from typing import Final, ParamSpec, TypeVar, cast

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_SLOTS: Final = 33_000
"""A frame of so many slots of 8 bytes gets a chunk of 512 KiB, half of which it leaves to the frames above it. It writes
to none of them, so no more memory is used than before."""


def with_room(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """`function`, with room for the frames of what it calls; it does what it did, and may not be a generator."""
    plain = cast("FunctionType", function)
    roomy = FunctionType(
        plain.__code__.replace(co_stacksize=_SLOTS),
        plain.__globals__,
        plain.__name__,
        plain.__defaults__,
        plain.__closure__,
    )
    roomy.__kwdefaults__ = plain.__kwdefaults__
    return cast("Callable[Parameters, Result]", update_wrapper(roomy, plain))
