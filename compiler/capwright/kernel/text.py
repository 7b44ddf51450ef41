"""Canonical spelling of sizes, as a plan would write them, and the exact reading of arguments."""

from __future__ import annotations

from typing import Final

from capwright.base.exact import Number
from capwright.kernel.refusal import KernelRefusal

_READABLE: Final = 10**18


def counted(count: int) -> str:
    """`4_096`; of a count that nobody would read to its last digit, and that may have more digits than Python prints,
    the power of ten that it reaches: `10^27 or more`."""
    if count < _READABLE:
        return f"{count:_}"
    power = int(count.bit_length() * 0.30103) - 1
    while count >= 10 ** (power + 1):
        power += 1
    return f"10^{power} or more"


def tokens(count: Number) -> str:
    """`4_096 tokens`, `1 token`."""
    shown = f"{count:_}" if isinstance(count, int) else str(count)
    return f"{shown} token" if count == 1 else f"{shown} tokens"


def whole(value: object, what: str, least: int) -> int:
    """`value` as a whole number of at least `least`; raises `KernelRefusal` otherwise."""
    if type(value) is int and value >= least:
        return value
    shown = f"{value:_}" if type(value) is int else str(value)
    wanted = f"a whole number of at least {least}"
    raise KernelRefusal(
        "CW0601", f"{what} is {shown}, and must be {wanted}", f"give {wanted}, such as `{least + 1}`", least
    )
