"""Messages for others: those of a plan with confidential numbers do not tell them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from capwright import codes
from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source
from capwright.commands.terminal import columns_of
from capwright.document.plandoc import DiagnosticDoc, PlanDoc, VerdictDoc
from capwright.document.withholding import (
    SILENT,
    WITHHELD,
    is_told_alone,
    may_tell,
    openly_measured,
    withheld,
)
from capwright.loading.files import LIBRARY_PREFIX
from capwright.loading.revisions import would_keep
from capwright.render.escape import terminal_text
from capwright.render.terminal.style import fitted

_WORD: Final = re.compile(r"\bconfidential\b")
_HELP: Final = "run `capwright check` where you may read all of the plan"


def secretive(sources: Mapping[str, Source]) -> frozenset[str]:
    """The files that may hold confidential numbers: all that have the word in them, the library's own apart."""
    return frozenset(
        path
        for path, one in sources.items()
        if not path.startswith(LIBRARY_PREFIX) and _WORD.search(one.text)
    )


class Public(Struct, frozen=True):
    """What others may see of a plan's messages and verdicts. `secret` are the files that may hold confidential numbers;
    `shown` is the plan as others see it, as far as it could be written down."""

    secret: frozenset[str]
    shown: PlanDoc | None

    def diagnostics(
        self, found: Iterable[Diagnostic], sources: Mapping[str, Source]
    ) -> tuple[Diagnostic, ...]:
        """The messages, told by their titles alone where they may hold a confidential number."""

        def place(one: Diagnostic) -> str:
            source = sources.get(one.span.file)
            return source.place(one.span.start) if source is not None else one.span.file

        return tuple(
            one
            if self._tells(one.code, place(one))
            else replace(one, message=title(one.code), help=_HELP, notes=(), withheld=True)
            for one in found
        )

    def messages(self, found: Iterable[DiagnosticDoc]) -> tuple[DiagnosticDoc, ...]:
        """The same for the messages of a document; of a file that may hold a confidential number no line is told,
        nor where in that line, which tells how long a number before it is."""
        told = (
            one
            if self._tells(one.code, one.place)
            else replace(one, message=title(one.code), help=_HELP, notes=(), line=WITHHELD)
            for one in found
        )
        return tuple(
            replace(one, line=WITHHELD, column=0) if _file(one.place) in self.secret else one for one in told
        )

    def _tells(self, code: str, place: str) -> bool:
        if not self.secret:
            return True
        measured = openly_measured(self.shown) if self.shown is not None else frozenset[str]()
        if code.startswith(SILENT):
            return may_tell(code, place, measured)
        return _file(place) not in self.secret

    def verdicts(self, document: PlanDoc) -> PlanDoc:
        """The document with the lines that open an end left out, where a confidential number may stand on them; of a
        requirement on such a number only the status is told."""
        if not self.secret:
            return document
        silent = (
            {one.id: one for one in self.shown.verdicts if is_told_alone(one)}
            if self.shown is not None
            else {}
        )
        return replace(
            document, verdicts=tuple(self._verdict(silent.get(one.id, one)) for one in document.verdicts)
        )

    def _verdict(self, one: VerdictDoc) -> VerdictDoc:
        """`opened_line` starts with the file that it stands in."""
        hidden = any((one.opened_line or "").startswith(f"{path}:") for path in self.secret)
        return replace(one, opened_line=None) if hidden else one


def public(
    document: PlanDoc | None, sources: Mapping[str, Source], also: frozenset[str] = frozenset()
) -> Public:
    """What others may see of a plan with the whole `document`; `also` are more files that may hold confidential
    numbers."""
    secret = secretive(sources) | also
    return Public(secret, withheld(document) if secret and document is not None else None)


def _file(place: str) -> str:
    return place.rpartition(":")[0]


@cache
def title(code: str) -> str:
    """The title of a code's page."""
    page = codes.page(code) or ""
    return page.partition("\n")[0].partition(": ")[2] or code


_NAMED: Final = 3
"""Names that a hint tells of what is confidential."""


def hint_of_confidential(told: Iterable[str], help: str, written: Sequence[Path] = ()) -> None:
    """Say on standard error what is confidential in something that may go to others, if anything is; as a warning where
    git has one of the files that were `written` into one folder, or would take it."""
    names = list(dict.fromkeys(told))
    if names:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        shown = ", ".join(f"`{terminal_text(name)}`" for name in names[:_NAMED])
        folder = written[0].parent if written else Path()
        kept = [folder / name for name in would_keep(folder, [path.name for path in written])]
        said = f"{'warning' if kept else 'hint'}[CW0758]: what was written tells what is confidential: {shown}{more}"
        if kept:
            files = ", ".join(f"`{terminal_text(os.fspath(path))}`" for path in kept)
            said += f"; git does not ignore {files}"
            help += ", or name the folder in .gitignore"
        for line in (f"capwright: {said}", f"  = help: {help}"):
            print("\n".join(fitted(line, columns_of(sys.stderr))), file=sys.stderr)
