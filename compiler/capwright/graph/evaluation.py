"""What an evaluation of a tape has found."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from capwright.base.interval import Value
from capwright.graph.faults import Fault


class Evaluation(Struct, frozen=True):
    """The value of every node, None where it has none, and why.

    Nodes inside the body of a search have no value of their own: it differs from try to try.
    """

    values: list[Value | None]
    faults: list[Fault]
    narrowed: dict[int, Value] = field(default_factory=dict)
    """By operation that would refuse its last operand as plain arithmetic has it, what that is with sources as one."""
    memo: dict[str, Any] = field(default_factory=dict)
    """What later questions about the same evaluation have worked out, by question."""
