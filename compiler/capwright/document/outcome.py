"""Whether what came of a plan is a finding: the one rule behind exit codes and the API's `check`."""

from __future__ import annotations

from collections.abc import Iterable

from capwright.document.plandoc import MeasurementDoc, VerdictDoc


def lacks_proof(verdict: VerdictDoc, *, strict: bool) -> bool:
    """Whether a requirement is a finding for no other reason than that it is not established."""
    return verdict.verb == "require" and verdict.status == "not established" and (strict or verdict.strict)


def is_finding(
    verdicts: Iterable[VerdictDoc], measurements: Iterable[MeasurementDoc], *, strict: bool
) -> bool:
    """Whether something required is violated or contradicted, or a measurement contradicts what was derived; with
    `strict`, or where it is required to be established, also whether something required is not established."""
    return any(
        verdict.status in ("violated", "contradicted") or lacks_proof(verdict, strict=strict)
        for verdict in verdicts
        if verdict.verb == "require"
    ) or any(one.comparison == "contradiction" for one in measurements)
