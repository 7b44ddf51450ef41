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
_SIGNS: Final = {
    "█": "an amount",
    "▒": "what is taken off the level above",
    "▓": "the rest, down or up to the level below",
    "░": "a bound, no value",
}


def blocks(view: ViewDoc, of: Index) -> str:
    """One line a quantity: its bar, then its name; below them what the bars mean. Empty for other charts."""
    if view.chart not in {"waterfall", "bars"}:
        return ""
    found = steps(view, of)
    scale = linear([end for step in found for end in (step.start, step.end)])
    lines = [f"{_bar(step, scale)}  {_name(step)}" for step in found]
    return "\n".join([*lines, "", _legend(found)]) if found else ""


def _legend(found: list[Step]) -> str:
    """What the signs mean that are there."""
    signs = {_sign(step) for step in found}
    told = [f"{sign} {words}" for sign, words in _SIGNS.items() if sign in signs]
    return f"{', '.join(told)}; lengths are to scale"


def _name(step: Step) -> str:
    return one_line(step.name)


def _bar(step: Step, scale: Linear) -> str:
    left, right = sorted((scale.at(step.start), scale.at(step.end)))
    first = min(math.floor(left * WIDTH), WIDTH - 1)
    length = max(1, round(right * WIDTH) - first) if step.start != step.end else 0
    return (" " * first + _sign(step) * length).ljust(WIDTH)


def _sign(step: Step) -> str:
    if step.is_bound:
        return "░"
    return {"level": "█", "taken": "▒", "rest": "▓"}[step.role]
