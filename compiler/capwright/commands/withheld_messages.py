"""Messages for others: those of a plan with confidential numbers do not tell them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from msgspec.structs import replace

from capwright import codes
from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source
from capwright.document.plandoc import DiagnosticDoc, PlanDoc, VerdictDoc
from capwright.document.withholding import SILENT, WITHHELD
from capwright.loading.files import LIBRARY_PREFIX
from capwright.render.escape import terminal_text

_WORD: Final = re.compile(r"\bconfidential\b")
_HELP: Final = "run `capwright check` where you may read all of the plan"


def secretive(sources: Mapping[str, Source]) -> frozenset[str]:
    """The files that may hold confidential numbers: all that have the word in them, the library's own apart."""
    return frozenset(
        path
        for path, one in sources.items()
        if not path.startswith(LIBRARY_PREFIX) and _WORD.search(one.text)
    )


def public_diagnostics(found: Iterable[Diagnostic], secret: frozenset[str]) -> tuple[Diagnostic, ...]:
    """The messages, told by their titles alone where they may hold a confidential number."""
    return tuple(_public(one, secret) for one in found)


def _public(one: Diagnostic, secret: frozenset[str]) -> Diagnostic:
    if not secret or not (one.span.file in secret or one.code.startswith(SILENT)):
        return one
    return replace(one, message=title(one.code), help=_HELP, notes=())


def is_withheld(one: Diagnostic) -> bool:
    """Whether a message is told by its title alone: then its line is not for others either."""
    return one.help == _HELP


def public_messages(found: Iterable[DiagnosticDoc], secret: frozenset[str]) -> tuple[DiagnosticDoc, ...]:
    """The same for the messages of a document."""
    return tuple(
        replace(one, message=title(one.code), help=_HELP, notes=(), line=WITHHELD)
        if secret and (one.place.rpartition(":")[0] in secret or one.code.startswith(SILENT))
        else one
        for one in found
    )


def public_verdicts(document: PlanDoc, secret: frozenset[str]) -> PlanDoc:
    """The document with the lines that open an end left out, where a confidential number may stand on them."""
    if not secret:
        return document
    return replace(document, verdicts=tuple(_verdict(one, secret) for one in document.verdicts))


def _verdict(one: VerdictDoc, secret: frozenset[str]) -> VerdictDoc:
    """`opened_line` starts with the file that it stands in."""
    hidden = any((one.opened_line or "").startswith(f"{path}:") for path in secret)
    return replace(one, opened_line=None) if hidden else one


@cache
def title(code: str) -> str:
    """The title of a code's page."""
    page = codes.page(code) or ""
    return page.partition("\n")[0].partition(": ")[2] or code


_NAMED: Final = 3
"""Names that a hint tells of what is confidential."""


def hint_of_confidential(told: Iterable[str], help: str) -> None:
    """Say on standard error what is confidential in something that may go to others, if anything is."""
    names = list(dict.fromkeys(told))
    if names:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        shown = ", ".join(f"`{terminal_text(name)}`" for name in names[:_NAMED])
        hint = f"capwright: hint[CW0758]: what was written tells what is confidential: {shown}{more}"
        print(f"{hint}\n  = help: {help}", file=sys.stderr)
