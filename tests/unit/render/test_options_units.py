"""A row of the options matrix is in one unit: a value, a difference and a cause beside it can be added up."""

from __future__ import annotations

from fractions import Fraction

import pytest

from capwright.comparison.compare import compare
from capwright.document.plandoc import PlanDoc
from capwright.render.diff import comparison
from capwright.render.index import index
from capwright.render.options import Cell, Options, options_of
from capwright.render.pieces import Numeral, Pieces, plain
from capwright.render.terminal.summary import of_options
from tests.support.compared import document, edited

SIZES = """\
use std
entity chip { hbm : byte; used : number in 0 .. 1; free : byte = hbm * (1 - used) }
entity node { chip : chip; own : byte = chip.hbm; rest : byte = chip.free }
chip old { hbm = 80 GB; used = 0.1 }
chip new { hbm = 141 GB; used = 0.1 }
chip odd { hbm = 74.51 GiB; used = 0.25 }
node n { chip = old }
option h200 of n { chip = new }
option odd of n { chip = odd }
report n
"""


def sizes() -> PlanDoc:
    return document(SIZES, "sizes.plan")


def numerals(pieces: Pieces) -> list[Numeral]:
    return [piece for piece in pieces if isinstance(piece, Numeral) and piece.part != "ratio"]


def number(pieces: Pieces) -> Fraction | None:
    """A lone number with its sign."""
    found = numerals(pieces)
    if len(found) != 1:
        return None
    value = Fraction(found[0].text.replace(",", "").replace("\N{MINUS SIGN}", "-"))
    return -value if "\N{MINUS SIGN}" in plain(pieces).partition(found[0].text)[0] else value


def last_place(pieces: Pieces) -> Fraction:
    [numeral] = numerals(pieces)
    return Fraction(1, 10 ** len(numeral.text.partition(".")[2]))


def symbols(cell: Cell) -> set[str]:
    shares = [
        numeral for share in cell.shares for numeral in numerals(share.value) if "error" not in numeral.part
    ]
    every = [*numerals(cell.value), *numerals(cell.established), *numerals(cell.difference), *shares]
    return {numeral.unit for numeral in every}


@pytest.mark.parametrize("made", [sizes, edited])
def test_a_row_has_one_unit_and_differences_add_up(made):
    rows = [row for options in options_of(index(made())) for row in options.rows]
    added = 0
    for row in rows:
        assert len({unit for cell in row.cells for unit in symbols(cell)}) <= 1, row.address
        base, *others = row.cells
        for cell in others:
            before, difference, after = number(base.value), number(cell.difference), number(cell.value)
            if before is None or difference is None or after is None:
                continue
            slack = last_place(base.value) + last_place(cell.difference) + last_place(cell.value)
            assert abs(before + difference - after) <= slack, (row.address, plain(cell.difference))
            added += 1
    assert added >= 4


def test_the_unit_of_a_row_is_chosen_over_all_its_columns():
    """80 GB and 141 GB alone would be shown in GB; the third column is no round number of these."""
    options: Options
    [options] = options_of(index(sizes()))
    rows = {row.address: row.cells for row in options.rows}
    shown = [(plain(cell.value), plain(cell.difference)) for cell in rows["n.own"]]
    nbsp = "\N{NO-BREAK SPACE}"
    assert [tuple(text.replace(nbsp, " ") for text in pair) for pair in shown] == [
        ("74.506 GiB", ""),
        ("131.316 GiB", "+56.81 GiB (×1.762)"),
        ("74.510 GiB", "+0.004194 GiB"),
    ]


def test_what_an_option_has_otherwise_is_told_in_units_that_read_well():
    """At a terminal, and of a requirement that only one of two documents has."""
    doc = document(SIZES + 'require n.rest <= 100 GB "room"\n', "sizes.plan")
    assert "126.9 GB, required ≤ 100 GB" in of_options(doc).replace("\N{NO-BREAK SPACE}", " ")
    told = comparison(compare(sizes(), doc)).asked[0].room.notes
    assert "72 GB, required ≤ 100 GB" in plain(told[0]).replace("\N{NO-BREAK SPACE}", " ")
