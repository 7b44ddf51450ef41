"""A comparison as one self-contained page, with the style and the policy of a report."""

from __future__ import annotations

from markupsafe import Markup

from capwright.document.diffdoc import DiffDoc
from capwright.render.diff import comparison
from capwright.render.diff_headline import headline_parts
from capwright.render.escape import one_line
from capwright.render.html import policy
from capwright.render.markup import anchor, to_html
from capwright.render.pieces import Pieces
from capwright.render.templates import environment, text


def diff_html(doc: DiffDoc) -> str:
    """The page of a comparison."""
    view = comparison(doc)
    style, script = text("report.css"), text("report.js")
    page = environment(escaping=True).get_template("diff.html")
    return page.render(
        view=view,
        headline=headline_parts(view),
        anchor=anchor,
        line=one_line,
        pieces=_pieces,
        still=_still,
        style=Markup(style),  # noqa: S704 (our own file)
        script=Markup(script),  # noqa: S704 (our own file)
        policy=policy(style, script),
    )


def _pieces(pieces: Pieces) -> Markup:
    return Markup(to_html(pieces))  # noqa: S704 (escaped piece by piece)


def _still(pieces: Pieces) -> Markup:
    return Markup(to_html(pieces, links=False))  # noqa: S704 (escaped piece by piece)
