"""The words a report uses for the few closed sets of a document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from capwright.document.outcome import tally
from capwright.document.plandoc import Provenance, Status
from capwright.syntax.forms import VERDICTS

Tone = Literal["good", "bad", "open"]

_TONES: Final[dict[Status, Tone]] = {
    "holds": "good", "violated": "bad", "not established": "open", "expected": "open", "not expected": "open",
    "contradicted": "bad",
}  # fmt: skip
STATUS: Final[dict[Status, tuple[str, Tone]]] = {
    status: (VERDICTS[status].written, tone) for status, tone in _TONES.items()
}
"""How each verdict is called, and how it looks."""

CONFIDENTIAL: Final = "confidential"
"""What stands beside a number that is withheld from others."""

NOT_ASKED: Final = "not asked"
"""What stands for a verdict where nobody asks for one."""


NO_VERDICT: Final = "no verdict"
"""What stands for one where the plan has errors."""


def status_counts(statuses: Iterable[Status]) -> str:
    """`2 violated, 1 holds`: how often each verdict was given, what needs attention first; empty without any."""
    return ", ".join(f"{count} {STATUS[status][0]}" for status, count in tally(statuses).items())


LEADS: Final = {"holds": "Holds under", "not established": "Open because"}
"""What stands before that which a verdict stands on; the others lean on it."""

COMPARISON: Final = {"<=": "≤", "<": "<", ">=": "≥", ">": ">", "==": "=", "!=": "≠"}

PROVENANCE: Final = {
    "fact": "fact",
    "choice": "design choice",
    "assumption": "assumption",
    "imported": "imported",
    "measurement": "measurement",
    "derived": "derived",
    "default": "library default",
}


def provenance_word(provenance: Provenance) -> str:
    """What a number's origin is called; a fact of which nothing is cited is what the library says."""
    return (
        "library fact" if provenance.sort == "fact" and not provenance.text else PROVENANCE[provenance.sort]
    )


RELATION: Final = {
    "=": "both ends",
    ">=": "a lower bound",
    "<=": "an upper bound",
    "~": "an estimate; nothing is established",
    "assume": "an assumed range",
    "measure": "measured",
}

SOURCE: Final = {"assume": "assumption", "bound": "bound", "estimate": "estimate"}
RANGE: Final = {"assume": "assumed", "bound": "established", "estimate": "established"}
"""What the range of a source is called."""
