"""Which drawing a view gets."""

from __future__ import annotations

from capwright.document.plandoc import ViewDoc
from capwright.render.charts import bars, plane
from capwright.render.index import Index


def picture(view: ViewDoc, of: Index) -> str:
    """The SVG of a view; empty where its chart is unknown or nothing in it has a number."""
    if view.chart in {"waterfall", "bars"}:
        return bars.draw(view, of)
    return plane.draw(view, of) if view.chart in {"line", "scatter", "ceiling"} else ""
