"""Sentences that count what a comparison has no row for: what is unchanged or withheld, and rooms of options."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from capwright.base.counting import plural
from capwright.document.diffdoc import AnswerChange, DiffDoc
from capwright.render.diff_verdicts import VerdictRows
from capwright.render.money_and_room import is_of_memory, room
from capwright.render.pieces import Name, Numeral, Pieces, Quoted, Words


def unchanged(doc: DiffDoc) -> Pieces:
    """How much is as before."""
    return (
        Numeral(f"{doc.unchanged_quantities:,}", "document", "unchanged_quantities", "document"),
        Words(f" {plural(doc.unchanged_quantities, 'quantity', 'quantities')} and "),
        Numeral(f"{doc.unchanged_verdicts:,}", "document", "unchanged_verdicts", "document"),
        Words(f" {plural(doc.unchanged_verdicts, 'verdict')}"),
        *_unchanged_answers(doc),
        Words(" are unchanged"),
        *_withheld(doc),
    )


def _unchanged_answers(doc: DiffDoc) -> Pieces:
    count = doc.unchanged_answers
    if not count:
        return ()
    return (
        Words(", and "),
        Numeral(f"{count:,}", "document", "unchanged_answers", "document"),
        Words(f" {plural(count, 'verdict')} of options,"),
    )


def roomier(doc: DiffDoc, rows: VerdictRows) -> Pieces:
    """How many verdicts of options are as before and have another room, and the least of these; empty where none is."""
    found = [one for one in doc.answers if one.what == "margin"]
    count = len(found)
    if not count:
        return ()
    return (
        Numeral(f"{count:,}", "document", "answers.margin", "document"),
        Words(
            f" {plural(count, 'verdict')} of options {plural(count, 'is', 'are')} as before, with another room"
        ),
        *_least_room(found, rows),
    )


def _least_room(answers: Sequence[AnswerChange], rows: VerdictRows) -> Pieces:
    """The least room in memory that is left by verdicts of options, and what it was; empty where none is of memory."""
    held = [(one.after, one) for one in answers if one.after is not None and is_of_memory(one.after)]
    if not held:
        return ()
    _, least = min(held, key=lambda each: room(each[0]))
    told = rows.verdict(least)
    # Such a verdict has no place of its own on a page that its numbers could lead to.
    was, now = (
        tuple(replace(one, target="document") if isinstance(one, Numeral) else one for one in side)
        for side in (told.room.before, told.room.after)
    )
    named = (Words("; the least of memory: "), Name(told.option), Words(", "), Quoted(told.label))
    return (*named, Words(", room "), *was, Words(" → "), *now)


def _withheld(doc: DiffDoc) -> Pieces:
    """How much nobody is told of."""
    count = doc.withheld_quantities
    if not count:
        return ()
    return (
        Words("; "),
        Numeral(f"{count:,}", "document", "withheld_quantities", "document"),
        Words(plural(count, " more quantity is withheld", " more quantities are withheld")),
    )


def approximated(doc: DiffDoc) -> Pieces:
    """How causes were approximated, where that was needed."""
    differences = [*(one.change for one in doc.quantities), *(one.change for one in doc.asked)]
    orders = [each.orders for each in differences if each.orders]
    if not orders:
        return ()
    return (
        Words("With so many declarations the parts are averages over at least "),
        Numeral(f"{min(orders):,}", "document", "orders", "document"),
        Words(" sampled orders. They add up exactly; each says its standard error."),
    )
