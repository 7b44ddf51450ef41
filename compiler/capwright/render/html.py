"""One self-contained page: no request, no handler in the markup, complete without JavaScript."""

from __future__ import annotations

import base64
import hashlib

from markupsafe import Markup

from capwright.document.plandoc import PlanDoc, ViewDoc
from capwright.render.charts.pictures import picture
from capwright.render.escape import one_line
from capwright.render.index import index
from capwright.render.markup import anchor, to_html
from capwright.render.pieces import Pieces
from capwright.render.report import report
from capwright.render.templates import environment, style, text


def html(doc: PlanDoc) -> str:
    """The report of a document as an HTML page."""
    of = index(doc)
    css, script = style(), text("report.js")

    def drawn(view: ViewDoc) -> Markup:
        return Markup(picture(view, of))  # noqa: S704 (built of escaped pieces)

    page = environment(escaping=True).get_template("plan.html")
    return page.render(
        report=report(of),
        anchor=anchor,
        drawn=drawn,
        line=one_line,
        pieces=linked,
        still=unlinked,
        drawn_formula=Markup,
        style=Markup(css),  # noqa: S704 (our own file)
        script=Markup(script),  # noqa: S704 (our own file)
        policy=policy(css, script),
    )


def policy(style: str, script: str) -> str:
    """The content-security policy that allows this one style and script and nothing else."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def linked(pieces: Pieces) -> Markup:
    """Pieces whose numbers lead to their derivations."""
    return Markup(to_html(pieces))  # noqa: S704 (escaped piece by piece)


def unlinked(pieces: Pieces) -> Markup:
    """Pieces that lead nowhere."""
    return Markup(to_html(pieces, links=False))  # noqa: S704 (escaped piece by piece)
