"""The report for a forge: GitHub-flavoured Markdown, every number a link to its derivation.

A forge shows no file of more than some hundred kilobytes: derivations are those of the numbers above and of
the formula calls in them. What lies deeper keeps its address and is derived in the HTML page and the JSON.
"""

from __future__ import annotations

from markupsafe import Markup

from capwright.document.plandoc import PlanDoc, ViewDoc
from capwright.render.charts.blocks import blocks
from capwright.render.escape import html_text, markdown_code
from capwright.render.index import index
from capwright.render.markup import anchor, quoted_markdown, to_markdown, to_summary
from capwright.render.pieces import Pieces
from capwright.render.report import report
from capwright.render.templates import environment


def markdown(doc: PlanDoc) -> str:
    """The report of a document as Markdown."""
    of = index(doc, brief=True)

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
        pieces=lambda found: _pieces(found, of.folded),
        cell=lambda found: _pieces(found, of.folded, cell=True),
        still=_still,
    )


def _pieces(pieces: Pieces, folded: frozenset[str], *, cell: bool = False) -> Markup:
    return Markup(to_markdown(pieces, cell=cell, folded=folded))  # noqa: S704 (escaped piece by piece)


def _still(pieces: Pieces) -> Markup:
    return Markup(to_summary(pieces))  # noqa: S704 (escaped piece by piece)
