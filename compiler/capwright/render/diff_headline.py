"""The first lines of a comparison: verdicts that changed, what changed them, money, and the room that is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from msgspec import Struct

from capwright.base.counting import counted, plural
from capwright.document.outcome import rank
from capwright.document.plandoc import VerdictDoc
from capwright.render.before_after import counting
from capwright.render.compared import Changed, ChangedVerdict, Comparison, Turn
from capwright.render.escape import one_line
from capwright.render.markup import to_comment
from capwright.render.money_and_room import more_money
from capwright.render.pieces import Name, Piece, Pieces, Quoted, Words
from capwright.render.words import STATUS, status_counts

LENGTHS: Final = (64, 40, 24)
"""Characters of a label in the headline, the shorter the more there is to say; it is whole further down."""
FIRST: Final = 400
"""Characters that verdicts, money and room are to stand in: what a notice or a list of comments shows."""
FLIPS: Final = 3
"""Verdicts, and options, that are named in the headline; the rest are counted."""
EDITS: Final = 3
"""Declarations, and measurements, that are named in the headline; the rest are counted."""

CONFIDED: Final = {
    "changed": "changed, and confidential",
    "new": "used now, and confidential",
    "lost": "no longer used, and confidential",
}
"""What is said of names of confidential declarations, by what became of them."""


class Headline(Struct, frozen=True):
    """What changed, the most important first: the sentences on verdicts, which alone are emphasised, and all others.
    `marks` are what the verdicts that are named stand on and carry."""

    verdicts: tuple[Pieces, ...]
    told: tuple[Pieces, ...] = ()
    marks: tuple[Pieces, ...] = ()

    @property
    def sentences(self) -> tuple[Pieces, ...]:
        """All but the marks, in their order."""
        return (*self.verdicts, *self.told)


def headline_of(view: Comparison, unmet: Sequence[VerdictDoc] = (), path: str = "") -> Headline:
    """The headline of a comparison of what is at `path`, if that is told. `unmet` is what is not met after as before.

    What was edited stands before money and room where all fit into the first characters that a reader is shown. Where
    not even verdicts, money and room do, labels are shortened, and then fewer verdicts are named.
    """
    if view.empty and not view.unsound and not unmet:
        return Headline(((Words("No difference"),),))
    made = Headline(())
    for named, length in product(range(FLIPS, 0, -1), LENGTHS):
        verdicts, before, edits, room = _sentences(view, unmet, named, length)
        for told, needed in (([*before, *edits, *room], len(before) + len(edits) + len(room)),
                             ([*before, *room, *edits], len(before) + len(room))):  # fmt: skip
            made = Headline(verdicts, (*told, *_unsound(view)), _marks(view, named, length))
            first = Headline(verdicts, tuple(told[: needed if room else len(before)]))
            if len(headline_markdown(first, path)) <= FIRST:
                return made
    return made


def _sentences(
    view: Comparison, unmet: Sequence[VerdictDoc], named: int, length: int
) -> tuple[tuple[Pieces, ...], list[Pieces], list[Pieces], list[Pieces]]:
    """The verdicts, what must be known before any number, what was edited, and money and room."""
    as_before = unmet_as_before(unmet, named, length)
    verdicts = list(_verdicts(view, named, length))
    before = list(_measured(view))
    if not view.flips:
        nothing = [] if view.lost else [(Words(_nothing(view)),)]
        verdicts = [*nothing, *as_before, *verdicts]
    else:
        before = [*as_before, *before]
    return tuple(verdicts), before, list(_edits(view, length)), list(_numbers(view, length))


def _nothing(view: Comparison) -> str:
    """What is said where no verdict changed."""
    if not view.empty:
        return "No verdict changed"
    return "No difference in what was compared" if view.unsound else "No difference"


def headline_markdown(headline: Headline, path: str = "") -> str:
    """The headline as Markdown: verdicts emphasised, with the path of what they are of; then a line for each of the rest."""
    verdicts = ". ".join(map(to_comment, headline.verdicts))
    name = f" {to_comment((Name(path),))}" if path else ""
    rest = "".join(f"- {to_comment(each)}\n" for each in (*headline.told, *headline.marks))
    return f"**{verdicts}.**{name}\n" + (f"\n{rest}" if rest else "")


def _verdicts(view: Comparison, named: int, length: int) -> Iterator[Pieces]:
    """What changed for the worse first: nothing of it is left out beside something that changed for the better."""
    for turn in view.turns[:named]:
        yield (*called(turn.first, length), Words(": "), *turned(turn, length))
    rest = [flip for turn in view.turns[named:] for flip in turn.flips]
    if rest:
        yield (Words(f"{counted(len(rest), 'more verdict')} changed: {tally(rest)}"),)
    for verdict in view.edited[:named]:
        yield (Words(f"{verdict.noun.capitalize()} {verdict.edit}: "), *called(verdict, length))
    if len(view.edited) > named:
        yield (Words(f"{counted(len(view.edited) - named, 'more requirement')} edited"),)
    if view.lost:
        names: list[Piece] = []
        for verdict in view.lost[:named]:
            names += [Words(", " if names else "No verdict any more: "), *called(verdict, length)]
        left = len(view.lost) - named
        yield (*names, Words(f" and {left} more")) if left > 0 else tuple(names)
    for option in view.options[:named]:
        told = f": {option.tally}" if option.what == "added" else ""
        yield (Words("Option "), Name(shortened(option.address, length)), Words(f" {option.what}{told}"))
    if len(view.options) > named:
        yield (Words(f"{counted(len(view.options) - named, 'more option')} added or removed"),)


def tally(flips: Sequence[ChangedVerdict]) -> str:
    """`2 now violated, 1 now not established, 1 no longer shown to be violated, 1 for the better`: what became worse is
    told by what it is now, and only what is as wished now as better."""
    worse = Counter(verdict.after for verdict in flips if verdict.worse)
    order = {words: rank(status) for status, (words, _) in STATUS.items()}
    said = [f"{worse[now]} now {now}" for now in sorted(worse, key=lambda now: order.get(now, len(order)))]
    lapses = Counter(verdict.lapsed for verdict in flips if verdict.lapsed)
    better = sum(verdict.better for verdict in flips)
    told = [f"{count} {lapse}" for lapse, count in lapses.items()]
    return ", ".join([*said, *told, *([f"{better} for the better"] if better else [])])


def turned(turn: Turn, length: int) -> Pieces:
    """`holds → violated, also with a@x`: from what to what, and the further options of which that is so."""
    also = also_with(turn, length)
    return (Words(turn.first.turn), *((Words(", "), *also) if also else ()))


def also_with(turn: Turn, length: int) -> Pieces:
    """`also with a@x, a@y and 2 more`: the further options of which that is so; nothing where there is none."""
    pieces: list[Piece] = []
    for flip in turn.also[:FLIPS]:
        pieces += [Words(", " if pieces else "also with "), Name(shortened(flip.option, length))]
    left = len(turn.also) - FLIPS
    return (*pieces, Words(f" and {left} more")) if left > 0 else tuple(pieces)


def told_pair(before: str, after: str, length: int) -> Pieces:
    """What was written and what is, the unit of two plain numbers once."""
    (was, _, unit), (now, _, same) = before.partition(" "), after.partition(" ")
    if unit == same and was[:1].isdigit() and now[:1].isdigit() and " " not in unit:
        return (Name(f"{shortened(was, length)} → {shortened(after, length)}"),)
    told = (Name(shortened(text, length)) if text else Words("nothing") for text in (before, after))
    one, two = told
    return (one, Words(" → "), two)


def called(verdict: ChangedVerdict, length: int) -> Pieces:
    """The option and the label of a requirement, the label within `length` characters."""
    return labelled(verdict.label, verdict.written, verdict.option, length)


def labelled(label: str, written: str, option: str, length: int) -> Pieces:
    """A requirement by its option, if any, and its label, which is what is `written` where nobody gave it one."""
    named: Piece = (Name if label in ("", written) else Quoted)(shortened(label or written, length))
    return (Name(shortened(option, length)), Words(", "), named) if option else (named,)


def unmet_as_before(
    unmet: Sequence[VerdictDoc], named: int, length: int, words: str = ", as before"
) -> list[Pieces]:
    """`2 violated, as before: A, B`: what is not met though nothing changed about it; nothing where there is none."""
    if not unmet:
        return []
    said = status_counts(verdict.status for verdict in unmet)
    names: list[Piece] = []
    for verdict in unmet[:named]:
        names += [Words(", ") if names else Words(f"{said}{words}: ")]
        names += labelled(verdict.label, verdict.written, "", length)
    left = len(unmet) - named
    return [(*names, Words(f" and {left} more"))] if left > 0 else [tuple(names)]


def no_longer_asked(verdicts: Sequence[VerdictDoc], named: int, length: int) -> Pieces:
    """`: its requirements A, B and 1 more are no longer asked`, after what became of their plan; nothing where it had
    none."""
    if not verdicts:
        return ()
    names: list[Piece] = []
    for verdict in verdicts[:named]:
        names += [Words(", ")] if names else []
        names += labelled(verdict.label, verdict.written, "", length)
    left = len(verdicts) - named
    rest = f" and {left} more" if left > 0 else ""
    its = plural(len(verdicts), ": its requirement ", ": its requirements ")
    return (Words(its), *names, Words(f"{rest} {plural(len(verdicts), 'is', 'are')} no longer asked"))


def measured(view: Comparison) -> dict[str, Pieces]:
    """By name what changed of measurements that a requirement leans on, on either side: that one began or ceased to
    count, what it states."""
    found: dict[str, Pieces] = {}
    for verdict in (*view.verdicts, *view.answers):
        found.update((name, counting(name, counts=False)) for name in verdict.lost)
        found.update((name, counting(name, counts=True)) for name in verdict.won)
    for remark in view.remarks:
        if remark.sort == "measurement" and (remark.leaned or remark.name in found):
            found[remark.name] = ticked(remark.text)
    return found


def ticked(text: str) -> Pieces:
    """A sentence of ours whose backticks mark names of the plan."""
    parts = text.split("`")
    return tuple(
        Name(part) if at % 2 and at < len(parts) - 1 else Quoted(part)
        for at, part in enumerate(parts)
        if part
    )


def _measured(view: Comparison) -> Iterator[Pieces]:
    found = measured(view)
    yield from list(found.values())[:EDITS]
    if len(found) > EDITS:
        yield (Words(f"{counted(len(found) - EDITS, 'more measurement')} changed"),)


def _numbers(view: Comparison, length: int) -> Iterator[Pieces]:
    for found in view.money[:1]:
        named: Piece = Quoted(shortened(found.label, length)) if found.label else Name(found.address)
        more = more_money(len(view.money) - 1)
        yield (named, Words(": "), *pair(found), *((Words(more),) if more else ()))
    for verdict in view.rooms[:1]:
        yield (Words("room, "), *called(verdict, length), Words(": "), *pair(verdict.room))


def _marks(view: Comparison, named: int, length: int) -> tuple[Pieces, ...]:
    """What the verdicts that are named stand on and carry, and what the one whose room is told did not carry before, each
    by its name where there are several."""
    rooms = [verdict for verdict in view.rooms[:1] if not verdict.flips]
    flips = [one for one in (*(turn.first for turn in view.turns[:named]), *rooms) if one.marks]
    alone = len(view.turns) + len(rooms) == 1
    return tuple(joined(verdict.marks, () if alone else called(verdict, length)) for verdict in flips)


def joined(marks: Sequence[Pieces], name: Pieces) -> Pieces:
    """What a verdict stands on and carries as one sentence, after its `name` if that must be told."""
    pieces: list[Piece] = [*name, Words(": ")] if name else []
    for at, mark in enumerate(marks):
        pieces += [Words("; "), *mark] if at else mark
    return tuple(Name(shortened(p.text, LENGTHS[0])) if isinstance(p, Name) else p for p in pieces)


def _unsound(view: Comparison) -> list[Pieces]:
    """Which sides have errors: what these could not say is neither changed nor as before."""
    if not view.unsound:
        return []
    names: list[Piece] = []
    for name, _ in view.unsound:
        names += [*([Words(" and ")] if names else []), Name(name)]
    return [
        (
            *names,
            Words(f" {plural(len(view.unsound), 'has', 'have')} errors: only what is sound was compared"),
        )
    ]


def _edits(view: Comparison, length: int) -> Iterator[Pieces]:
    """What was changed: declarations that moved a reported number first, and confidential ones by their names."""
    edits = view.edits
    pieces: list[Piece] = []
    for one in edits[:EDITS]:
        before, after = (
            Name(shortened(value, length)) if value else Words("nothing") for value in (one.before, one.after)
        )
        lead = Words("; ") if pieces else Words("changed: ")
        pieces += [lead, Name(one.address), Words(": "), before, Words(" → "), after]
        pieces += [Words(" ("), *one.ratio, Words(")")] if one.ratio else []
    if len(edits) > EDITS:
        pieces.append(Words(f"; {counted(len(edits) - EDITS, 'more edit')}"))
    if pieces:
        yield tuple(pieces)
    for what, words in CONFIDED.items():
        names = [one.name for one in view.remarks if one.sort == "confidential" and one.what == what]
        if names:
            more = f" and {len(names) - EDITS} more" if len(names) > EDITS else ""
            listed = [piece for name in names[:EDITS] for piece in (Words(", "), Name(name))]
            yield (Words(f"{words}: "), *listed[1:], Words(more))


def shortened(text: str, length: int) -> str:
    """One line of at most `length` characters: what is too long keeps its beginning and its end, which tell apart
    what begins alike. It is cut between words where that leaves half of each."""
    line = one_line(text)
    if len(line) <= length:
        return line
    end = length // 3
    first, last = line[: length - 1 - end], line[-end:]
    word, rest = (
        first.rfind(" ") if line[len(first)] != " " else -1,
        last.find(" ") if line[-end - 1] != " " else -1,
    )
    first = first[:word] if word >= len(first) // 2 else first
    last = last[rest:] if 0 <= rest <= len(last) // 2 else last
    return f"{first.rstrip()}…{last.lstrip()}"


def pair(changed: Changed) -> Pieces:
    """What was and what is, and that these are not of one sort."""
    told = (Words(" ("), *changed.unlike, Words(")")) if changed.unlike else ()
    return (*changed.before, Words(" → "), *changed.after, *told)
