"""Which drawing a view gets."""

from __future__ import annotations

from capwright.document.plandoc import ViewDoc
from capwright.render.charts import bars, plane
from capwright.render.charts.svg import alone
from capwright.render.index import Index
from capwright.render.templates import style


def picture(view: ViewDoc, of: Index) -> str:
    """The SVG of a view; empty where its chart is unknown or nothing in it has a number."""
    if view.chart in {"waterfall", "bars"}:
        return bars.draw(view, of)
    return plane.draw(view, of) if view.chart in {"line", "scatter", "ceiling"} else ""


def picture_file(view: ViewDoc, of: Index) -> str:
    """The same as an SVG file of its own, light and dark; empty where there is nothing to draw."""
    drawn = picture(view, of)
    return alone(drawn, style("palette", "chart", "alone")) if drawn else ""
