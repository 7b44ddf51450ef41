"""What a measurement or evidence states, and how far that was compared with the plan."""

from __future__ import annotations

from typing import Final

from capwright.document.plandoc import EvidenceDoc, MeasurementDoc

IDLE: Final = "compared with nothing"
UNSTATED: Final = "not stated, and so not compared"


def stated(one: MeasurementDoc | EvidenceDoc) -> tuple[tuple[str, str], ...]:
    """What it states, by name, in the order in which it does; what nothing is compared with is marked, and what it could
    state besides comes last."""
    told = [(name, f"{text} ({IDLE})" if name in one.idle else text) for name, text in one.context.items()]
    return (*told, (UNSTATED, ", ".join(one.unstated))) if one.unstated else tuple(told)


def in_one_line(one: MeasurementDoc | EvidenceDoc) -> str:
    """`engine: x@1; statistic: p95`."""
    return "; ".join(f"{name}: {text}" for name, text in stated(one))
