"""The page that leads to the reports of a folder, with the verdicts of each plan counted."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup
from msgspec import Struct

from capwright.base.counting import counted
from capwright.document.outcome import rank, tally
from capwright.document.plandoc import STATUSES, PlanDoc, Status
from capwright.render.escape import markdown_text, one_line
from capwright.render.html import policy
from capwright.render.templates import environment, style
from capwright.render.words import STATUS, Tone, status_counts


class Entry(Struct, frozen=True):
    """One report: its path without a suffix, and the verdicts that were given."""

    name: str
    title: str
    statuses: tuple[Status, ...]
    caveats: tuple[str, ...]
    """The caveats that nothing removes: they stand on counted verdicts as on numbers."""

    @property
    def urgency(self) -> int:
        """The place among plans, 0 for what needs attention first: a plan stands where the worst of its verdicts does."""
        return min(map(rank, self.statuses), default=len(STATUSES))

    @property
    def counts(self) -> tuple[tuple[str, Tone, int], ...]:
        """How often each verdict was given, with its word and its look, the worst first."""
        return tuple((*STATUS[status], count) for status, count in tally(self.statuses).items())

    @property
    def verdicts(self) -> str:
        """How often each verdict was given, in words."""
        return status_counts(self.statuses)

    @property
    def link(self) -> str:
        """The path as a link holds it."""
        return "".join(map(_linked, self.name))


def _linked(sign: str) -> str:
    """A sign of a path as a link in Markdown and HTML holds it."""
    plain = sign.isascii() and (sign.isalnum() or sign in "-_./")
    return sign if plain else "".join(f"%{byte:02X}" for byte in sign.encode("utf-8", "surrogateescape"))


def entry(name: str, document: PlanDoc) -> Entry:
    """What the index says of a document whose report is at `name`."""
    caveats = tuple(caveat.text for caveat in document.caveats if caveat.permanent)
    return Entry(name, document.title, tuple(verdict.status for verdict in document.verdicts), caveats)


def contents_markdown(entries: Sequence[Entry]) -> str:
    """The index as Markdown: plans that need attention first."""
    lines = ["# Capacity plans", "", _summed(entries), "", "| Plan | Verdicts |", "|:--|:--|"]
    for one in _ordered(entries):
        counted = one.verdicts or "no requirement"
        lines.append(f"| [{markdown_text(one.name)}]({one.link}.md) | {markdown_text(counted)} |")
    for caveat in _caveats(entries):
        lines += ["", f"> {markdown_text(caveat)}"]
    return "\n".join(lines) + "\n"


def contents_html(entries: Sequence[Entry]) -> str:
    """The index as an HTML page of one file."""
    css = style()
    return (
        environment(escaping=True)
        .get_template("index.html")
        .render(
            entries=_ordered(entries),
            summed=_summed(entries),
            caveats=_caveats(entries),
            line=one_line,
            style=Markup(css),  # noqa: S704 (our own file)
            policy=policy(css, ""),
        )
    )


def _caveats(entries: Sequence[Entry]) -> list[str]:
    return list(dict.fromkeys(caveat for one in entries for caveat in one.caveats))


def _ordered(entries: Sequence[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda one: (one.urgency, one.name))


def _summed(entries: Sequence[Entry]) -> str:
    verdicts = status_counts(status for one in entries for status in one.statuses)
    return counted(len(entries), "plan") + (f": {verdicts}." if verdicts else ".")
