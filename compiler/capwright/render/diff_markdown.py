"""A comparison as Markdown for a pull request: the headline first, whole sections within a budget of bytes."""

from __future__ import annotations

from typing import Final

from markupsafe import Markup

from capwright.base.counting import counted
from capwright.document.diffdoc import DiffDoc
from capwright.render.before_after import NOT_SEPARATED, ROOMS_NOT_SEPARATED
from capwright.render.compared import Comparison
from capwright.render.diff import comparison
from capwright.render.diff_headline import Headline, headline_markdown, headline_of
from capwright.render.escape import markdown_code, markdown_text
from capwright.render.markup import to_comment
from capwright.render.permanent import permanent_lines
from capwright.render.pieces import Pieces, plain
from capwright.render.templates import environment

BUDGET: Final = 60_000
"""Bytes of a comment that a forge takes, with room to spare."""
OTHERS: Final = 12
"""Quantities of options, and such that no report shows, as many as a comment lists of each."""
_WHOLE: Final = "`capwright diff`"
"""What tells all, as Markdown."""
SECTIONS: Final = {
    "unsound": "errors",
    "verdicts": "verdicts",
    "answers": "options",
    "declarations": "what changed it",
    "quantities": "reported quantities",
    "remarks": "assumptions, caveats and measurements",
    "told": "what the caveats of verdicts say",
    "entries": "added, removed and renamed quantities",
    "facts": "the facts behind the declarations",
    "of_options": "quantities of options",
    "unreported": "quantities that no report shows",
}
"""The sections by name, the most important first, and what they are called where they are left out."""


def diff_markdown(doc: DiffDoc, budget: int = BUDGET) -> str:
    """The comparison in at most `budget` bytes (the headline and the last line are always there)."""
    view = comparison(doc)
    head = f"{_head(view)}\n"
    caveats = "".join(f"\n> {line}\n" for line in permanent_lines(view.caveats, budget, _WHOLE))
    return _written_out(view, head, caveats, budget, None)


def diff_fold(doc: DiffDoc, budget: int, *, headed: bool) -> str:
    """The comparison within a comment that has its caveats, and its headline unless `headed`: nothing is said
    twice, and of what no report shows a few quantities stand for the rest."""
    view = comparison(doc)
    head = f"{_head(view)}\n" if headed else ""
    return _written_out(view, head, "", budget, OTHERS, frozenset({"told"}))


def _head(view: Comparison) -> str:
    """The headline without the marks of verdicts, which stand below it."""
    headline = headline_of(view)
    return headline_markdown(Headline(headline.verdicts, headline.told))


def _written_out(
    view: Comparison,
    head: str,
    caveats: str,
    budget: int,
    others: int | None,
    omitted: frozenset[str] = frozenset(),
) -> str:
    head += f"{markdown_code(view.before.name)} → {markdown_code(view.after.name)}\n\n"
    if view.empty and not view.unsound:
        return f"{head}{_foot(view, [], caveats)}"
    kept: list[str] = []
    left: list[str] = []
    room = budget - len(head.encode()) - len(_foot(view, list(SECTIONS.values()), caveats).encode())
    for name in SECTIONS:
        if name in omitted or not _has(view, name):
            continue
        text = _section(view, name, others)
        room -= len(text.encode())
        if room >= 0:
            kept.append(text)
        else:
            room += len(text.encode())
            left.append(SECTIONS[name])
    return head + "".join(kept) + _foot(view, left, caveats)


def _has(view: Comparison, name: str) -> bool:
    match name:
        case "verdicts":
            return bool(view.asked)
        case "entries":
            return bool(view.added or view.removed or view.renames)
        case "answers":
            return bool(view.answers or view.options or view.roomier)
        case "facts":
            return any(change.facts for change in view.declarations)
        case _:
            return bool(getattr(view, name))


def _foot(view: Comparison, left: list[str], caveats: str) -> str:
    lines = [plain(view.unchanged).capitalize() + "."]
    if view.approximate:
        lines.append(plain(view.approximate))
    if left:
        lines.append(f"**Left out for length: {', '.join(left)}.**")
    return f"{' '.join(lines)}\n{caveats}"


def _section(view: Comparison, name: str, others: int | None) -> str:
    """A section; of the quantities that are no reported ones of the plan itself `others`, all where None."""
    ours = name == "of_options"
    listed = view.of_options if ours else view.unreported
    count = counted(len(listed), "quantity", "quantities")
    more = 0 if others is None else len(listed) - others
    page = environment(escaping=False).get_template("diff.md")
    return page.render(
        view=view,
        section=name,
        others=listed[:others],
        others_in_all=f"{count} {'of options' if ours else 'that no report shows'}",
        others_left=f"and {more:,} more: {_WHOLE} lists all of them" if more > 0 else "",
        code=lambda text: Markup(markdown_code(text)),  # noqa: S704 (escaped)
        cell_code=lambda text: Markup(markdown_code(text, cell=True)),  # noqa: S704 (escaped)
        quoted=lambda text: Markup(markdown_text(text)),  # noqa: S704 (escaped)
        own=Markup,
        overlapping=NOT_SEPARATED,
        overlapping_rooms=ROOMS_NOT_SEPARATED,
        pieces=_pieces,
    )


def _pieces(pieces: Pieces) -> Markup:
    return Markup(to_comment(pieces))  # noqa: S704 (escaped piece by piece)
