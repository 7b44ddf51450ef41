"""Canonical spelling of sizes, as a plan would write them, and the exact reading of arguments."""

from __future__ import annotations

from capwright.base.exact import Number
from capwright.kernel.refusal import KernelRefusal


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
        "CW0601", f"{what} is {shown}, and must be {wanted}", f"give {wanted}, such as `{least + 1}`"
    )
