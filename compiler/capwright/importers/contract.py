"""What a file reader offers to plans: a name that may be called with a path, and what it makes of the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from capwright.base.diagnostic import Diagnostic
from capwright.kernel.lengths import Lengths

MIB: Final = 1 << 20

Diagnostics = tuple[Diagnostic, ...]
ToPlanText = Callable[[bytes, str, str], tuple[str | None, Diagnostics]]
"""(content, path as shown, name of the declaration) to plan text, or None with the reasons."""
ToLengths = Callable[[bytes, str, Mapping[str, str]], tuple[Mapping[str, Lengths] | None, Diagnostics]]
"""(content, path as shown, column of each named argument) to distributions by the same names."""


@dataclass(frozen=True, slots=True)
class Reader:
    """One reader, called in a plan as `name("path", …)`.

    With the role `plan` it writes plan text through `to_plan_text`; with the role `lengths` it gives
    distributions through `to_lengths`, one for each named argument, whose value is a column of the file. `cap` is
    the largest file, in bytes, that is worth reading: a larger one is refused by the reader too.
    """

    name: str
    role: Literal["plan", "lengths"]
    cap: int
    help: str
    to_plan_text: ToPlanText | None = field(default=None)
    to_lengths: ToLengths | None = field(default=None)
