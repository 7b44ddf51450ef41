"""A comparison as terminal text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from capwright.base.counting import counted
from capwright.document.diffdoc import DiffDoc
from capwright.render.before_after import ROOMS_NOT_SEPARATED
from capwright.render.compared import Changed, ChangedVerdict, Comparison, Declaration, Option
from capwright.render.diff import comparison
from capwright.render.pieces import Pieces, Words, plain
from capwright.render.terminal.style import PLAIN, Style, fitted, said


def diff_text(doc: DiffDoc, style: Style = PLAIN, *, opened: bool = False, wide: int | None = None) -> str:
    """What changed, verdicts first, in lines of at most `wide` columns. `opened` lists the facts that each declaration
    carries."""
    view = comparison(doc)
    head = style.paint("bold", f"{view.before.name} → {view.after.name}")
    lines = [head, *_lines(view, style, opened)]
    return "".join(f"{part}\n" for line in lines for part in fitted(line, wide))


def _lines(view: Comparison, style: Style, opened: bool) -> Iterator[str]:
    for name, messages in view.unsound:
        yield style.paint("bad", f"{name} has errors; only what is sound was compared")
        yield from (style.paint("dim", f"    {m.code} {m.message}  {m.place}") for m in messages)
    if view.empty:
        where = " in what was compared" if view.unsound else ""
        yield f"no difference{where}; {plain(view.unchanged)}"
        return
    for verdict in view.asked:
        yield from _verdict(verdict, style)
    yield from _heading("options", (*view.answers, *view.options, *view.roomier), style)
    for verdict in view.answers:
        yield from (f"  {line}" for line in _verdict(verdict, style))
    if view.roomier:
        yield style.paint("dim", f"  {plain(view.roomier)}")
    yield from (line for option in view.options for line in _option(option, style))
    yield from _heading("what changed it", view.declarations, style)
    for declaration in view.declarations:
        yield from _declaration(declaration, style, opened)
    yield from _heading("reported quantities", view.quantities, style)
    for quantity in view.quantities:
        yield from _changed(quantity, style)
    yield from _heading("also", view.remarks, style)
    yield from (f"  {style.paint('bold', '·')} {style.paint('open', r.text)}" for r in view.remarks)
    yield from _entries(view, style)
    yield ""
    groups = (
        (view.of_options, "quantity of options", "quantities of options"),
        (view.unreported, "unreported quantity", "unreported quantities"),
    )
    told = [counted(len(found), one, several) for found, one, several in groups if found]
    more = f"{' and '.join(told)} changed; " if told else ""
    yield style.paint("dim", f"{more}{plain(view.unchanged)}")
    yield from (style.paint("dim", f"{name}: {text}") for name, text in view.told)
    yield from (style.paint("dim", text) for text in view.caveats)
    if view.approximate:
        yield style.paint("dim", plain(view.approximate))


def _heading(text: str, rows: Iterable[object], style: Style) -> Iterator[str]:
    if rows:
        yield ""
        yield style.paint("bold", text)


def _verdict(verdict: ChangedVerdict, style: Style) -> Iterator[str]:
    beside = "".join(f", {style.paint(verdict.after_tone, words)}" for words in verdict.beside)
    if verdict.flips:
        arrow = f"{style.paint(verdict.before_tone, verdict.before)} → {style.paint(verdict.after_tone, verdict.after)}"
        yield f"{arrow}{beside}  {style.paint('bold', verdict.name)}"
    else:
        yield f"{style.paint(verdict.after_tone, verdict.after)} as before{beside}  {style.paint('bold', verdict.label)}"
    room = verdict.room
    yield from (f"    {said(note)}" for note in verdict.counting)
    if room.differs:
        difference = f", {said(room.difference)}" if room.difference else ""
        yield f"    room: {said(room.before)} → {said(room.after)}{difference}"
    overlap: tuple[Pieces, ...] = ((Words(ROOMS_NOT_SEPARATED),),) if room.overlaps else ()
    for note in (*verdict.notes, *overlap):
        yield style.paint("dim", f"    {plain(note)}")
    yield from _because(room, style)
    for mark in verdict.marks:
        yield style.paint("dim", f"    {plain(mark)}")


def _option(option: Option, style: Style) -> Iterator[str]:
    label = f"  {option.label}" if option.label else ""
    yield f"  {style.paint('bold', option.address)} {option.what}{label}: {option.tally}; {plain(option.quantities)}"
    for one in option.unmet:
        yield f"    {style.paint(one.tone, one.status)}  {style.paint('bold', one.label)}"
        yield from (style.paint("dim", f"      {plain(note)}") for note in one.notes)


def _because(changed: Changed, style: Style) -> Iterator[str]:
    if changed.shares:
        rest = f", and {changed.more:,} more" if changed.more else ""
        said_ = ", ".join(plain(share.said) for share in changed.first)
        yield style.paint("dim", f"    because {said_}{rest}")


def _declaration(change: Declaration, style: Style, opened: bool) -> Iterator[str]:
    idle = "; moves no reported number" if change.idle else ""
    said_ = f"{change.before or 'nothing'} → {change.after or 'nothing'}"
    yield f"  {style.paint('bold', change.address)}: {style.paint('link', said_)}"
    yield style.paint("dim", f"      {change.origin}, {change.after_place or change.before_place}{idle}")
    for fact in change.facts:
        if fact.lacking:
            yield style.paint("open", f"      {fact.name}: there is none {fact.lacking}")
        elif opened:
            yield style.paint("dim", f"      {fact.name}: {plain(fact.before)} → {plain(fact.after)}")


def _changed(changed: Changed, style: Style) -> Iterator[str]:
    name = changed.label or changed.address
    yield f"  {style.paint('bold', name)}  {style.paint('dim', changed.address if changed.label else '')}".rstrip()
    difference = f", {said(changed.difference)}" if changed.difference else ""
    yield f"    {said(changed.before)} → {said(changed.after)}{difference}"
    for note in changed.notes:
        yield style.paint("dim", f"    {plain(note)}")
    yield from _because(changed, style)


def _entries(view: Comparison, style: Style) -> Iterator[str]:
    for words, entries in (("added", view.added), ("removed", view.removed)):
        yield from _heading(words, entries, style)
        for entry in entries:
            yield f"  {style.paint('bold', entry.address)}  {said(entry.value)}"
    yield from _heading("renamed", view.renames, style)
    for one in view.renames:
        count = f", {said(one.quantities)}" if one.quantities else ""
        yield f"  {style.paint('dim', one.old)} → {style.paint('bold', one.new)}{count}"
