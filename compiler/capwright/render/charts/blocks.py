"""Waterfalls and bars drawn with block characters, for formats without pictures. They hold no number."""

from __future__ import annotations

import math
from typing import Final

from capwright.document.plandoc import ViewDoc
from capwright.render.charts.bars import Step, steps
from capwright.render.charts.scale import Linear, linear
from capwright.render.escape import one_line
from capwright.render.index import Index

WIDTH: Final = 40


def blocks(view: ViewDoc, of: Index) -> str:
    """One line a quantity: its bar, then its name; empty for other charts."""
    if view.chart not in {"waterfall", "bars"}:
        return ""
    found = steps(view, of)
    scale = linear([end for step in found for end in (step.start, step.end)])
    return "\n".join(f"{_bar(step, scale)}  {_name(step)}" for step in found)


def _name(step: Step) -> str:
    return one_line(step.quantity.label or step.quantity.address.rpartition(".")[2])


def _bar(step: Step, scale: Linear) -> str:
    left, right = sorted((scale.at(step.start), scale.at(step.end)))
    first = min(math.floor(left * WIDTH), WIDTH - 1)
    length = max(1, round(right * WIDTH) - first) if step.start != step.end else 0
    sign = "░" if step.is_bound else "▒" if step.role == "taken" else "█"
    return (" " * first + sign * length).ljust(WIDTH)
