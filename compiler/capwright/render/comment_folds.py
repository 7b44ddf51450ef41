"""What stands folded in a comment: all that is wider of one plan, and what the caveats of verdicts say."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from capwright.base.counting import counted
from capwright.document.outcome import lapsed, rank
from capwright.document.plandoc import PlanDoc, Status, VerdictDoc
from capwright.document.withholding import is_withheld
from capwright.render.comment_headline import Told
from capwright.render.diff_headline import joined, labelled
from capwright.render.diff_markdown import diff_fold
from capwright.render.escape import markdown_code, markdown_text
from capwright.render.markup import to_comment
from capwright.render.plan_change import PlanChange
from capwright.render.standing import standing
from capwright.render.verdicts import otherwise
from capwright.render.words import NOT_ASKED, STATUS, status_counts

NAMED: Final = 12
"""Files that a sentence names; the rest are counted."""
_LEAST: Final = 1_500
"""A fold with less room than this would hold nothing of use."""
_MESSAGES: Final = 20
_LAST: Final = 400
"""Bytes of the line that counts the caveats which do not fit."""


def fold(one: Told, room: int, *, headed: bool) -> str | None:
    """One plan's fold, its sections dropped to fit into `room` bytes, None where nothing of use fits; `headed` where its
    headline stands nowhere else."""
    if room <= _LEAST:
        return None
    change = one.change
    renamed = f" (was {_html_code(change.before)})" if change.how == "renamed" and change.before else ""
    lead = f"<details><summary>{_html_code(change.path)}{renamed}: {change.how}</summary>\n\n"
    parts = [lead, *_files(change.why), *_silence(change), *_messages(change)]
    left = room - len("".join(parts).encode()) - 64
    if change.diff is not None:
        if left < _LEAST:
            return None
        parts.append(diff_fold(change.diff, left, headed=headed))
    elif change.document is not None:
        parts.append(_verdict_lines(change.document))
    else:
        parts.append(_unasked_lines(change.unasked))
    text = "".join([*parts, "\n</details>\n\n"])
    return text if len(text.encode()) <= room else None


def named(paths: Sequence[str]) -> str:
    """The first of some files, and how many more there are."""
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return f"{', '.join(map(markdown_code, paths[:NAMED]))}{more}"


def _files(paths: Sequence[str]) -> list[str]:
    return [f"Files that differ: {named(paths)}\n\n"] if paths else []


def _silence(change: PlanChange) -> list[str]:
    if change.document is None or not any(map(is_withheld, change.document.quantities)):
        return []
    return [
        "Confidential numbers, and all that derives from them, are withheld; of requirements the status is told.\n\n"
    ]


def _html_code(text: str) -> str:
    return f"<code>{markdown_text(text)}</code>"


def _messages(change: PlanChange) -> list[str]:
    shown = change.messages[:_MESSAGES]
    lines = [
        f"- {one.severity} {one.code} {markdown_code(one.place)}: {markdown_text(one.message)}"
        + (f"; {markdown_text(one.help)}\n" if one.severity == "error" and one.help else "\n")
        for one in shown
    ]
    if len(change.messages) > len(shown):
        lines.append(f"- and {counted(len(change.messages) - len(shown), 'more message')}\n")
    return [*lines, "\n"] if lines else []


def _verdict_lines(document: PlanDoc) -> str:
    """The verdicts of a new plan, and those that its options have otherwise, what needs attention first, with what they
    stand on and carry."""
    permanent = frozenset(caveat.name for caveat in document.caveats if caveat.permanent)
    asked = sorted(document.verdicts, key=lambda verdict: rank(verdict.status))
    rows: list[str] = []
    for verdict in asked[:_MESSAGES]:
        rows.append(f"- {STATUS[verdict.status][0]}: {_called(verdict)}\n")
        rows += _mark_lines(verdict, permanent)
    rows += _rest([verdict.status for verdict in asked[_MESSAGES:]], "")
    options = sorted(otherwise(document), key=lambda one: rank(one[2].status))
    for option, base, own in options[:_MESSAGES]:
        turn = f"{STATUS[base.status][0]} → {STATUS[own.status][0]}"
        lapse = lapsed(base.status, own.status)
        rows.append(f"- {markdown_code(option)}, {turn}{f', {lapse}' if lapse else ''}: {_called(own)}\n")
        rows += _mark_lines(own, permanent)
    rows += _rest([own.status for _, _, own in options[_MESSAGES:]], " of options")
    return "".join(rows)


def _unasked_lines(verdicts: Sequence[VerdictDoc]) -> str:
    """The requirements of a deleted plan, and what they came to."""
    lines = [f"- {STATUS[one.status][0]} → {NOT_ASKED}: {_called(one)}\n" for one in verdicts[:_MESSAGES]]
    return "".join([*lines, *_rest([one.status for one in verdicts[_MESSAGES:]], "")])


def _rest(statuses: Sequence[Status], whose: str) -> list[str]:
    """The verdicts that are not listed, counted."""
    if not statuses:
        return []
    more = counted(len(statuses), f"more verdict{whose}", f"more verdicts{whose}")
    return [f"- and {more}: {markdown_text(status_counts(statuses))}\n"]


def _called(verdict: VerdictDoc) -> str:
    return to_comment(labelled(verdict.label, verdict.written, "", sys.maxsize))


def _mark_lines(verdict: VerdictDoc, permanent: frozenset[str]) -> list[str]:
    marks = standing(verdict, permanent, f"verdict:{verdict.id}")
    return [f"  - {to_comment(joined(marks, ()))}\n"] if marks else []


def caveats_fold(told: Sequence[Told], room: int) -> str:
    """What the caveats say that verdicts are told with, each once, as far as they fit into `room` bytes."""
    texts: dict[tuple[str, str], None] = {}
    for one in told:
        document = one.change.document
        if one.view is not None:
            texts.update(dict.fromkeys(one.view.told))
        elif document is not None:
            asked = (*document.verdicts, *(own for _, _, own in otherwise(document)))
            named = {name for verdict in asked for name in verdict.caveats}
            texts.update(
                ((c.name, c.text), None) for c in document.caveats if c.name in named and not c.permanent
            )
    if not texts:
        return ""
    text = "<details><summary>What the caveats of these verdicts say</summary>\n\n"
    end = "\n</details>\n\n"
    for at, (name, words) in enumerate(texts):
        line = f"- {markdown_code(name)}: {markdown_text(words)}\n"
        if len((text + line + end).encode()) + _LAST > room:
            return (
                f"{text}- and {counted(len(texts) - at, 'more caveat')}: `capwright check` tells them\n{end}"
            )
        text += line
    return text + end
