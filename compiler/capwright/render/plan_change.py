"""What a pull request does to a plan: what there is to tell of it in a comment."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from capwright.document.diffdoc import DiffDoc
from capwright.document.outcome import FINDINGS, findings_of
from capwright.document.plandoc import DiagnosticDoc, PlanDoc, VerdictDoc


class PlanChange(Struct, frozen=True):
    """A plan that a change affects. `document` is the plan as it is now, for others to see; None where it cannot be
    read or was deleted. `diff` is against what it was, None where there is nothing to compare."""

    path: str
    how: Literal["changed", "new", "deleted", "renamed"]
    before: str | None
    document: PlanDoc | None
    diff: DiffDoc | None
    messages: tuple[DiagnosticDoc, ...] = field(default=())
    why: tuple[str, ...] = ()
    """The files that differ."""
    strict: bool = False
    """Whether what is required and not established is a finding."""
    lacked: str = ""
    """What the state before lacks, where nothing is compared for that."""
    unasked: tuple[VerdictDoc, ...] = ()
    """Of a deleted plan, the requirements that nobody asks any more, with what they came to."""

    @property
    def broken(self) -> tuple[DiagnosticDoc, ...]:
        """The errors that the plan has now that leave nothing to trust."""
        return tuple(one for one in self.messages if one.severity == "error" and one.code not in FINDINGS)

    @property
    def errors(self) -> int:
        """How many these are."""
        return len(self.broken)

    @property
    def unmet(self) -> tuple[VerdictDoc, ...]:
        """What makes its check fail of its requirements; nothing where errors do."""
        if self.document is None or self.errors:
            return ()
        return findings_of(self.document.verdicts, (), strict=self.strict).verdicts

    @property
    def as_before(self) -> tuple[VerdictDoc, ...]:
        """Those of `unmet` whose verdict the comparison does not tell as changed."""
        if self.diff is None:
            return self.unmet
        turned = (one.after for one in self.diff.verdicts if one.what != "margin")
        found = (one.after for one in self.diff.unjudged)
        changed = {after.id for after in (*turned, *found) if after is not None}
        return tuple(verdict for verdict in self.unmet if verdict.id not in changed)
