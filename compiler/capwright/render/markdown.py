"""The report for a forge: GitHub-flavoured Markdown, every number a link to its derivation."""

from __future__ import annotations

from markupsafe import Markup

from capwright.document.plandoc import PlanDoc, ViewDoc
from capwright.render.charts.blocks import blocks
from capwright.render.escape import html_text, markdown_code
from capwright.render.index import index
from capwright.render.markup import anchor, quoted_markdown, to_html, to_markdown
from capwright.render.pieces import Pieces
from capwright.render.report import report
from capwright.render.templates import environment


def markdown(doc: PlanDoc) -> str:
    """The report of a document as Markdown."""
    of = index(doc)

    def drawn(view: ViewDoc) -> Markup:
        return Markup(blocks(view, of))  # noqa: S704 (inside a fence, no line starts with a name)

    page = environment(escaping=False).get_template("plan.md")
    return page.render(
        report=report(of),
        anchor=lambda address: Markup(anchor(address)),  # noqa: S704 (letters and digits)
        code=lambda text: Markup(markdown_code(text)),  # noqa: S704 (escaped)
        cell_code=lambda text: Markup(markdown_code(text, cell=True)),  # noqa: S704 (escaped)
        html_code=lambda text: Markup(f"<code>{html_text(text)}</code>"),  # noqa: S704 (escaped)
        own=Markup,
        drawn=drawn,
        quoted=lambda text: Markup(quoted_markdown(text)),  # noqa: S704 (escaped)
        pieces=_pieces,
        cell=_cell,
        still=_still,
    )


def _pieces(pieces: Pieces) -> Markup:
    return Markup(to_markdown(pieces))  # noqa: S704 (escaped piece by piece)


def _cell(pieces: Pieces) -> Markup:
    return Markup(to_markdown(pieces, cell=True))  # noqa: S704 (escaped piece by piece)


def _still(pieces: Pieces) -> Markup:
    return Markup(to_html(pieces, links=False, in_markdown=True))  # noqa: S704 (escaped piece by piece)
