"""A comparison as one self-contained page, with the style and the policy of a report."""

from __future__ import annotations

from markupsafe import Markup

from capwright.document.diffdoc import DiffDoc
from capwright.render.before_after import ROOMS_NOT_SEPARATED
from capwright.render.diff import comparison
from capwright.render.diff_headline import headline_of
from capwright.render.escape import one_line
from capwright.render.html import linked, policy, unlinked
from capwright.render.markup import anchor
from capwright.render.pieces import Pieces, Words
from capwright.render.templates import environment, style, text


def diff_html(doc: DiffDoc) -> str:
    """The page of a comparison."""
    view = comparison(doc)
    css, script = style(), text("report.js")
    page = environment(escaping=True).get_template("diff.html")
    return page.render(
        view=view,
        headline=list(map(_sentence, headline_of(view).sentences)),
        overlapping_rooms=ROOMS_NOT_SEPARATED,
        anchor=anchor,
        line=one_line,
        pieces=linked,
        still=unlinked,
        style=Markup(css),  # noqa: S704 (our own file)
        script=Markup(script),  # noqa: S704 (our own file)
        policy=policy(css, script),
    )


def _sentence(pieces: Pieces) -> Pieces:
    """A sentence that stands beside others: with a capital where it begins with a word of ours, and no name."""
    first, rest = pieces[:1], pieces[1:]
    if first and isinstance(first[0], Words):
        first = (Words(f"{first[0].text[:1].upper()}{first[0].text[1:]}"),)
    return (*first, *rest, Words("."))
