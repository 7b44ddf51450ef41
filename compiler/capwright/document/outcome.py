"""What of a plan is a finding: the one rule behind exit codes, the API's `check` and what a comment says of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from capwright.document.plandoc import MeasurementDoc, VerdictDoc

FINDINGS: Final = frozenset({"CW0509"})
"""Errors about what a plan's numbers say, not about what they are."""


def unmet(verdicts: Iterable[VerdictDoc], *, strict: bool) -> Iterator[VerdictDoc]:
    """What is required and is violated or contradicted; with `strict`, or where it is required to be established, also
    what is not established."""
    for verdict in verdicts:
        failed = verdict.status in ("violated", "contradicted")
        if (verdict.verb == "require" and failed) or lacks_proof(verdict, strict=strict):
            yield verdict


def contradictions(measurements: Iterable[MeasurementDoc]) -> Iterator[MeasurementDoc]:
    """The measurements that contradict what was derived."""
    return (one for one in measurements if one.comparison == "contradiction")


def lacks_proof(verdict: VerdictDoc, *, strict: bool) -> bool:
    """Whether a requirement is a finding for no other reason than that it is not established."""
    return verdict.verb == "require" and verdict.status == "not established" and (strict or verdict.strict)


def is_finding(
    verdicts: Iterable[VerdictDoc], measurements: Iterable[MeasurementDoc], *, strict: bool
) -> bool:
    """Whether something required is not met, or a measurement contradicts what was derived."""
    return any(True for _ in unmet(verdicts, strict=strict)) or any(
        True for _ in contradictions(measurements)
    )
