"""What a file reader offers to plans: a name that may be called with a path, and what it makes of the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, Protocol

from msgspec import Struct, field

from capwright.base.diagnostic import Diagnostic
from capwright.kernel.lengths import Lengths

MIB: Final = 1 << 20
MAX_TRACE: Final = 64_000_000
"""Bytes of the largest trace that is read."""

Diagnostics = tuple[Diagnostic, ...]


class Beside(Struct, frozen=True):
    """What lies beside a file that is read: further files by the name of the argument that gives them, or by which the
    file itself names them, each as (path as shown, content). `sizes` are the bytes of the whole of each file that
    was read in part, "" for the file itself."""

    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)


class ToPlanText(Protocol):
    """(content, path as shown, name of the declaration, what lies beside) to plan text, or None with the reasons."""

    def __call__(
        self, data: bytes, shown_path: str, name: str, beside: Beside = ...
    ) -> tuple[str | None, Diagnostics]: ...


ToLengths = Callable[[bytes, str, Mapping[str, str]], tuple[Mapping[str, Lengths] | None, Diagnostics]]
"""(content, path as shown, column of each named argument) to distributions by the same names."""


class Reader(Struct, frozen=True):
    """One reader, called in a plan as `name("path", …)`.

    With the role `plan` it writes plan text through `to_plan_text`; with the role `lengths` it gives
    distributions through `to_lengths`, one for each named argument, whose value is a column of the file. `cap` is
    the largest file, in bytes, that is worth reading: a larger one is refused by the reader too. `takes` are the
    named arguments that are paths of further files; one that a call leaves out is looked for beside the file,
    under the name that `siblings` gives. `written` is the form of a call, with what it stands behind, and `section` the number of the
    section of `grammar/reference.md` that tells of it. `head` says by a file's first eight bytes how many are worth reading, for
    files too large to read whole; `suffixes` are how the names of its files end; `named` gives the names of files beside it that its content names.
    """

    name: str
    role: Literal["plan", "lengths"]
    cap: int
    help: str
    written: str
    section: int
    to_plan_text: ToPlanText | None = field(default=None)
    to_lengths: ToLengths | None = field(default=None)
    takes: tuple[str, ...] = ()
    siblings: Mapping[str, str] = field(default_factory=dict)
    suffixes: tuple[str, ...] = ()
    head: Callable[[bytes], int] | None = None
    named: Callable[[bytes], tuple[str, ...]] | None = None
