"""What came of a plan, at a glance: its findings, the one rule behind exit codes, the API's `check` and what a comment says
of them; how often which verdict was given; and whether a verdict changed for the worse or the better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from capwright.base.diagnostic import Diagnostic
from capwright.document.plandoc import STATUSES, DiagnosticDoc, MeasurementDoc, Status, VerdictDoc

UNWISHED: Final[frozenset[Status]] = frozenset(
    {"violated", "contradicted", "not established", "not expected"}
)
"""The verdicts that are not as wished, findings or not."""

WISHED: Final[frozenset[Status]] = frozenset({"holds", "expected"})
"""The verdicts that are as wished: only what comes to one of these changed for the better."""

FINDINGS: Final = frozenset({"CW0509"})
"""Errors about what a plan's numbers say, not about what they are."""

_UNREAD: Final = ("CW015", "CW016")
"""Beginnings of the codes that say of a file which a plan names that it was not read."""


def has_room(verdict: VerdictDoc) -> bool:
    """Whether a verdict leaves room to one side: what is to be equal, or to differ, has a difference and no room."""
    return verdict.comparison not in ("==", "!=")


def is_unread(message: Diagnostic | DiagnosticDoc) -> bool:
    """Whether a message says that something of the plan is not here: what derives from it is unknown, not changed."""
    return message.severity == "error" and message.code.startswith(_UNREAD)


_UNFIT: Final = "CW0430"
"""The code that says of a quantity which cannot be below zero that it is."""


def unfit(messages: Iterable[DiagnosticDoc]) -> tuple[DiagnosticDoc, ...]:
    """What is told before any verdict: the quantities that are below zero for certain, and may not be. What is asked of
    what derives from them is of something that cannot be built."""
    return tuple(one for one in messages if one.code == _UNFIT and one.severity == "warning")


def lacks_proof(verdict: VerdictDoc, *, strict: bool) -> bool:
    """Whether a requirement is a finding for no other reason than that it is not established."""
    return verdict.verb == "require" and verdict.status == "not established" and (strict or verdict.strict)


class Findings(Struct, frozen=True):
    """What of a plan is a finding: requirements, and measurements that contradict what was derived. True where there is one."""

    verdicts: tuple[VerdictDoc, ...]
    measurements: tuple[MeasurementDoc, ...]

    def __bool__(self) -> bool:
        return bool(self.verdicts or self.measurements)


def findings_of(
    verdicts: Iterable[VerdictDoc], measurements: Iterable[MeasurementDoc], *, strict: bool
) -> Findings:
    """What is required and violated or contradicted, and measurements that contradict; with `strict`, or where it is
    required to be established, also what is required and not established."""
    return Findings(
        tuple(one for one in verdicts if _is_failed(one) or lacks_proof(one, strict=strict)),
        tuple(one for one in measurements if one.comparison == "contradiction"),
    )


def _is_failed(verdict: VerdictDoc) -> bool:
    return verdict.verb == "require" and verdict.status in ("violated", "contradicted")


def tally(statuses: Iterable[Status]) -> dict[Status, int]:
    """How often each verdict was given that was, what needs attention first."""
    found = Counter(statuses)
    return {status: found[status] for status in STATUSES if found[status]}


def rank(status: Status) -> int:
    """How good a verdict is: 0 for what needs attention first."""
    return STATUSES.index(status)


def is_counted(measured: MeasurementDoc) -> bool:
    """Whether a measurement counts: what reads the number that it is of reads it too."""
    return measured.comparison not in ("does not count", "contradiction")


def became_worse(before: VerdictDoc | None, after: VerdictDoc | None) -> bool:
    """Whether a verdict changed for the worse. Nobody looks any more at what is no longer required; what is new is bad
    news where it is not met."""
    if after is None:
        return True
    return rank(after.status) < rank("expected" if before is None else as_asked_now(before, after))


_ONLY_EXPECTED: Final[dict[Status, Status]] = {
    "holds": "expected", "violated": "not expected", "contradicted": "not expected",
}  # fmt: skip


def as_asked_now(before: VerdictDoc, after: VerdictDoc) -> Status:
    """What a verdict was, in the words for what is asked now: what held is expected where it is only expected now, and the
    other way round. What was not expected was never violated: that it is required now makes it so."""
    if before.verb == after.verb:
        return before.status
    if after.verb == "expect":
        return _ONLY_EXPECTED.get(before.status, before.status)
    return "holds" if before.status == "expected" else before.status


def became_better(before: Status | None, after: Status) -> bool:
    """Whether a verdict changed for the better: it is as wished now, and was less; `before` is None where nobody asked.
    That something is no longer shown to be violated is no gain: often nothing but its proof is gone."""
    return after in WISHED and (before is None or rank(before) < rank(after))


def gained_caveats(before: VerdictDoc | None, after: VerdictDoc | None) -> tuple[str, ...]:
    """The caveats that a verdict has and had not."""
    had = before.caveats if before is not None else ()
    return tuple(name for name in after.caveats if name not in had) if after is not None else ()


def lapsed(before: Status, after: Status) -> str:
    """`no longer shown to be violated`: what is said where a verdict became neither worse nor better, as when a
    measurement that showed a violation counts no longer, or it is only expected now; empty otherwise."""
    if before in ("violated", "contradicted") and after == "not expected":
        return "no longer required"
    is_so = rank(before) < rank(after) and not became_better(before, after)
    return f"no longer shown to be {before}" if is_so else ""
