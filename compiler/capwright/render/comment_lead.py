"""What a comment on several plans begins with: all of them in the first few lines of a telephone.

Counts over all plans come first, what is worst at their head; then, each under its own words, the verdicts that became worse,
the requirements that ask less now or are gone, what is no longer shown to be violated, what is not met as before, what was
changed at the root, money, and the least room in memory. What one name already tells is not told beside another, and what
several plans share is told once. The plans one by one stand below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from msgspec.structs import replace

from capwright.base.counting import counted, plural
from capwright.document.plandoc import VerdictDoc
from capwright.render.comment_items import (
    CAUSE,
    EASED,
    FAILING,
    LAPSED,
    MEASURED,
    PAID,
    ROOM,
    SILENT,
    WORSE,
    Item,
    Plan,
    in_plans,
    items_of,
)
from capwright.render.compared import ChangedVerdict
from capwright.render.diff_headline import (
    FIRST,
    FLIPS,
    LENGTHS,
    labelled,
    tally,
)
from capwright.render.escape import markdown_text
from capwright.render.markup import to_comment
from capwright.render.pieces import Piece, Words, plain
from capwright.render.words import NOT_ASKED, STATUS

_MORE: Final = 16
_FIRST: Final = {
    FAILING: 4,
    WORSE: 4,
    EASED: 4,
    LAPSED: 4,
    MEASURED: 1,
    CAUSE: 2,
    SILENT: 1,
    PAID: 1,
    ROOM: 1,
}
"""By the sort how many of it are to be told before labels stay long and each has its plan beside it."""


def _merged(items: Sequence[Item]) -> list[Item]:
    """The items, the worst first, what is said alike of several plans once."""
    found: dict[str, Item] = {}
    for item in sorted(items, key=lambda item: (item.sort, item.weight)):
        said = f"{plain(item.head)}: {plain(item.pieces(LENGTHS[0], with_paths=False))}"
        old = found.get(said)
        found[said] = (
            item
            if old is None
            else replace(old, paths=(*old.paths, *item.paths), about=old.about | item.about)
        )
    return list(found.values())


def lead(plans: Sequence[Plan], budget: int = FIRST) -> str:
    """The first paragraph, of at most `budget` characters, for several plans in the order of their importance."""
    counts = f"**{markdown_text(_counts(plans))}**"
    items = _merged([item for plan in plans for item in items_of(plan)])
    ranks = Counter[int]()
    order: list[tuple[int, int, Item]] = []
    for item in items:
        order.append((ranks[item.sort], item.sort, item))
        ranks[item.sort] += 1
    # The worst of each sort has its place before the second of any.
    waiting = [item for _, _, item in sorted(order, key=lambda one: one[:2])]
    needed: list[Item] = []
    for rank, sort, item in order:
        if rank < _FIRST.get(sort, 0) and not item.is_told_by(needed):
            needed.append(item)
    level, kept = (LENGTHS[-1], False), []
    for with_paths, length in product((True, False), LENGTHS):
        text = _text(counts, needed, plans, 0, (length, with_paths))
        if len(text) + (_MORE if len(needed) < len(items) else 0) <= budget:
            level, kept = (length, with_paths), needed
            break
    named = 0
    if kept:
        named = next((n for n in range(FLIPS, 0, -1)
                      if len(_text(counts, kept, plans, n, level)) + _MORE <= budget), 0)  # fmt: skip
    for item in waiting:
        if item in kept or item.is_told_by(kept):
            continue
        if len(_text(counts, [*kept, item], plans, named, level)) + _MORE <= budget:
            kept = [*kept, item]
    text = _text(counts, kept, plans, named, level)
    left = [item for item in items if item not in kept and not item.is_told_by(kept)]
    return _and_more(text, left, budget)


def _text(
    counts: str, items: Sequence[Item], plans: Sequence[Plan], named: int, level: tuple[int, bool]
) -> str:
    """The counts, and a sentence a head, in the order of their sorts; what is not met as before stands after verdicts."""
    length, with_paths = level
    sentences: dict[tuple[int, str], list[Item]] = {}
    for item in sorted(items, key=lambda item: item.sort):
        sentences.setdefault((item.sort, plain(item.head)), []).append(item)
    first = [_sentence(held, length, with_paths) for (sort, _), held in sentences.items() if sort <= LAPSED]
    rest = [_sentence(held, length, with_paths) for (sort, _), held in sentences.items() if sort > LAPSED]
    return " ".join(filter(None, [counts, *first, _unmet(plans, named, length), *rest]))


def _sentence(items: Sequence[Item], length: int, with_paths: bool) -> str:
    pieces: list[Piece] = [*items[0].head, Words(": ")] if items[0].head else []
    for at, item in enumerate(items):
        told = item.pieces(length, with_paths=with_paths, bare=at > 0 and not with_paths)
        pieces += [*([Words(", ")] if at else []), *told]
    return to_comment((*pieces, Words(".")))


def _and_more(text: str, left: Sequence[Item], budget: int) -> str:
    """The text with how many are left, and the names of as many of these as there is room for."""
    if not left:
        return text
    for count in range(len(left), -1, -1):
        pieces: list[Piece] = [Words(f" And {len(left)} more")]
        for at, item in enumerate(left[:count]):
            pieces += [Words(", " if at else ": "), *item.name(LENGTHS[-1])]
        pieces.append(Words(" …" if 0 < count < len(left) else "."))
        longer = text + to_comment(pieces)
        if len(longer) <= budget or not count:
            return longer
    return text


def _unmet(plans: Sequence[Plan], named: int, length: int) -> str:
    """`2 violated, as before: A in P, B in Q and 3 more.`"""
    found: dict[tuple[str, ...], tuple[VerdictDoc, list[str]]] = {}
    for plan in plans:
        for verdict in plan.unmet:
            key = (verdict.place, verdict.written, verdict.status)
            found.setdefault(key, (verdict, []))[1].append(plan.path)
    if not found:
        return ""
    counts = Counter(STATUS[verdict.status][0] for verdict, _ in found.values())
    pieces: list[Piece] = [Words(", ".join(f"{count} {status}" for status, count in counts.items()))]
    pieces.append(Words(", as before"))
    for at, (verdict, paths) in enumerate(list(found.values())[:named]):
        pieces += [Words(", " if at else ": "), *labelled(verdict.label, verdict.written, "", length)]
        pieces += [Words(" in "), *in_plans(paths, "plan")]
    left = len(found) - named
    return to_comment((*pieces, Words(f" and {left} more." if left > 0 < named else ".")))


def _counts(plans: Sequence[Plan]) -> str:
    """How much there is of each, what is worst first: what fails now before what was made to ask less, and that before what
    is only no longer shown to be bad."""
    every = (verdict for plan in plans if plan.view for verdict in plan.view.flips)
    # A requirement of a file that several plans use is one.
    flips = list({(v.place, v.written, v.option, v.before, v.after): v for v in every}.values())
    turned = [verdict for verdict in flips if verdict.after != NOT_ASKED]
    own, others = ([v for v in turned if bool(v.option) is of_option] for of_option in (False, True))
    compared = any(not plan.lost and (plan.view is not None or not plan.errors) for plan in plans)
    eased = _eased(plans, flips)
    unjudged = {(one.place, one.written) for plan in plans if plan.view for one in plan.view.lost}
    changed = [_changed(own, "verdict")] if own or (compared and not others and not unjudged) else []
    if eased and not others and all(verdict.edit for verdict in own) and _is_still(plans):
        eased = [f"{', '.join(eased)}, and no number moved"]
        changed = [tally(own)] if own else []
    eased = [", ".join(eased)] if eased else []
    found = [*changed, *eased] if any(verdict.worse for verdict in own) else [*eased, *changed]
    found += [_changed(others, "verdict of options", "verdicts of options")] if others else []
    found += _came_and_went(plans)
    found += [f"{counted(len(unjudged), 'verdict')} lost"] if unjudged else []
    broken = sum(plan.errors > 0 for plan in plans)
    mended = sum(not plan.errors and plan.view is not None and bool(plan.view.unsound) for plan in plans)
    lost = sum(plan.lost for plan in plans)
    found += [f"{broken} {plural(broken, 'does', 'do')} not compile"] if broken else []
    found += [f"{mended} did not compile before"] if mended else []
    found += [f"{lost} could not be compared"] if lost else []
    new, deleted = (sum(plan.how == how for plan in plans) for how in ("new", "deleted"))
    found += [f"{new} new"] if new else []
    gone = len({(one.place, one.written) for plan in plans for one in plan.unasked})
    with_it = f" with {counted(gone, 'requirement')}" if gone else ""
    found += [f"{deleted} deleted{with_it}"] if deleted else []
    bad = {
        (one.place, one.written)
        for plan in plans
        if plan.how == "new" and plan.document
        for one in plan.document.verdicts
        if one.status in _BAD
    }
    found += [f"{counted(len(bad), 'requirement')} of new plans not met"] if bad else []
    return f"{counted(len(plans), 'plan')}: {'; '.join(found)}."


def _changed(flips: Sequence[ChangedVerdict], one: str, many: str = "") -> str:
    """How many verdicts changed, what those are now that changed for the worse, which are no longer shown to be bad, and
    how many changed for the better."""
    if not flips:
        return f"no {one} changed"
    said = tally(flips)
    # What became of all of them is told with their number.
    alike = said.startswith(f"{len(flips)} ") and ", " not in said and "better" not in said
    return f"{counted(len(flips), one, many)} {said.partition(' ')[2] if alike else f'changed, {said}'}"


def _eased(plans: Sequence[Plan], flips: Sequence[ChangedVerdict]) -> list[str]:
    """How many requirements were edited, and how, whatever became of their verdicts, and how many are gone from plans that
    are still there: `3 requirements loosened`, `1 removed`."""
    every = (v for plan in plans if plan.view for v in plan.view.asked if v.edit and v.required)
    # A requirement of a file that several plans use is one.
    edits = Counter({(one.place, one.written): one.edit for one in every}.values())
    said = [(edits[edit], str(edit)) for edit in ("loosened", "edited", "tightened") if edits[edit]]
    gone = sum(verdict.after == NOT_ASKED and not verdict.option for verdict in flips)
    said += [(gone, "removed")] if gone else []
    return [
        f"{count} {what}" if at else f"{counted(count, 'requirement')} {what}"
        for at, (count, what) in enumerate(said)
    ]


def _is_still(plans: Sequence[Plan]) -> bool:
    """Whether every plan could be compared, and none of its numbers changed, told or not."""
    return all(
        plan.view is not None
        and not plan.view.unsound
        and not (plan.view.quantities or plan.view.others or plan.view.added or plan.view.removed)
        and not any(remark.sort == "confidential" for remark in plan.view.remarks)
        for plan in plans
    )


def _came_and_went(plans: Sequence[Plan]) -> Iterator[str]:
    options = [option.what for plan in plans if plan.view for option in plan.view.options]
    for what in ("added", "removed"):
        count = options.count(what)
        if count:
            yield f"{counted(count, 'option')} {what}"


_BAD: Final = frozenset(status for status, (_, tone) in STATUS.items() if tone == "bad")
