"""What a measurement or evidence states, and how far that was compared with the plan."""

from __future__ import annotations

from typing import Final

from capwright.document.plandoc import EvidenceDoc, MeasurementDoc
from capwright.document.withholding import WITHHELD

IDLE: Final = "compared with nothing"
WITHIN: Final = "within what the plan has:"
UNSTATED: Final = "not stated, and so not compared"
_ORIGIN: Final = ("source", "because")
_NO_ORIGIN: Final = ("source", "none is given")
"""A number that nobody says where he has it from is told as that wherever something is read off it."""


def stated(one: MeasurementDoc | EvidenceDoc) -> tuple[tuple[str, str], ...]:
    """What it states, by name, in the order in which it does; what is compared with nothing, or with a range, is marked, a
    measurement that is from nowhere is told as that, and what it could state besides comes last."""
    marks = {
        **dict.fromkeys(one.idle, IDLE),
        **{name: f"{WITHIN} {told}" for name, told in one.within.items()},
    }
    told = [
        (name, f"{text} ({marks[name]})" if name in marks else text) for name, text in one.context.items()
    ]
    if isinstance(one, MeasurementDoc) and WITHHELD not in one.context and not one.context.keys() & _ORIGIN:
        told.append(_NO_ORIGIN)
    return (*told, (UNSTATED, ", ".join(one.unstated))) if one.unstated else tuple(told)


def in_one_line(one: MeasurementDoc | EvidenceDoc) -> str:
    """`engine: x@1; statistic: p95`."""
    return "; ".join(f"{name}: {text}" for name, text in stated(one))
