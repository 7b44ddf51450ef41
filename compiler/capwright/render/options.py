"""Options side by side: verdicts that differ or do not hold, reported quantities that differ, what changed, and what made each difference."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.address import depth_of, top_of, under
from capwright.base.latest import Latest
from capwright.comparison.matrix import Alternative, Matrix, matrices
from capwright.document.outcome import lapsed
from capwright.document.plandoc import Quantity, VerdictDoc
from capwright.document.sizes import Families, chosen, families_of
from capwright.render.compared import FEW, Declaration, Share
from capwright.render.diff import comparison
from capwright.render.diff_rows import Differences
from capwright.render.figures import Ends, established, headline, numerals_together, quantity_ends
from capwright.render.index import Index, closure, references
from capwright.render.pieces import Name, Numeral, Piece, Pieces, Quoted, Reference, Words
from capwright.render.words import NOT_ASKED, STATUS, Tone


class Column(Struct, frozen=True):
    """The base, or an option with the declarations that make it and what is lost or new in words."""

    address: str
    label: str
    declarations: tuple[Declaration, ...]
    remarks: tuple[str, ...]


class Cell(Struct, frozen=True):
    """One value in one column. Without `changed` it is as in the base; `missing` says that the option has none, and
    `confidential` that others may not be told it."""

    value: Pieces
    established: Pieces
    difference: Pieces
    shares: tuple[Share, ...]
    notes: tuple[Pieces, ...]
    changed: bool
    missing: bool = False
    confidential: bool = False


class Verdict(Struct, frozen=True):
    """One requirement, its verdict in every column, and the caveats that the verdict has there and not in the base.
    `lapses` say where it is neither worse nor better than the base's, in words; `unmet` that it is of the base and does not
    hold everywhere."""

    label: str
    written: str
    statuses: tuple[tuple[str, Tone], ...]
    lapses: tuple[str, ...]
    caveats: tuple[tuple[str, ...], ...]
    changed: bool
    unmet: bool


class Quantities(Struct, frozen=True):
    """One reported quantity in every column."""

    address: str
    label: str
    cells: tuple[Cell, ...]


class Options(Struct, frozen=True):
    """The options of one thing: what they change, and what of it does not hold with any of them. `alike` says how much they
    leave as it is."""

    base: str
    columns: tuple[Column, ...]
    verdicts: tuple[Verdict, ...]
    rows: tuple[Quantities, ...]
    alike: Pieces
    several: bool
    """Whether the plan has options of other things too."""


def options_of(of: Index) -> tuple[Options, ...]:
    """Every thing with options, side by side."""
    return _LATEST.get(of, lambda: _options_of(of))


def beside(of: Index) -> frozenset[str]:
    """The addresses of the numbers that stand side by side, and of all that these derive from."""
    cells = (
        column.address + row.address[len(each.base) :]
        for each in options_of(of)
        for row in each.rows
        for column in each.columns
    )
    return closure(of.quantities, cells)


_MET: Final = ("holds", "expected")
"""What is as it was asked for, of a requirement and of what is only expected."""
_LATEST: Final = Latest[Index, tuple[Options, ...]]()


def _options_of(of: Index) -> tuple[Options, ...]:
    families = families_of(of.doc.scales)
    found = matrices(of.original)
    return tuple(_Writer(of, matrix, families).options(several=len(found) > 1) for matrix in found)


class _Writer:
    def __init__(self, of: Index, matrix: Matrix, families: Families) -> None:
        self.of = of
        self.matrix = matrix
        self.families = families
        self.spelled = {q.address: q.unit for q in of.original.quantities}
        self.views = [None if c.diff is None else comparison(c.diff) for c in matrix.columns]
        self.changed = [None if c.diff is None else Differences(c.diff) for c in matrix.columns]

    def options(self, *, several: bool) -> Options:
        shown = dict.fromkeys(a for section in self.of.doc.sections for a in section.addresses)
        mine = [a for a in shown if a.startswith(f"{self.matrix.base}.")]
        rows = [self._row(address) for address in mine]
        differing = tuple(row for row in rows if any(cell.changed or cell.missing for cell in row.cells[1:]))
        columns = tuple(self._column(at, c) for at, c in enumerate(self.matrix.columns))
        verdicts = list(self._verdicts())
        listed = tuple(verdict for verdict in verdicts if verdict.changed or verdict.unmet)
        same = sum(not verdict.changed for verdict in verdicts), len(rows) - len(differing)
        return Options(self.matrix.base, columns, listed, differing, self._alike(*same), several)

    def _alike(self, verdicts: int, quantities: int) -> Pieces:
        at = f"options:{self.matrix.base}"
        return (
            Numeral(f"{verdicts:,}", at, "verdicts.count", at),
            Words(" of the verdicts and "),
            Numeral(f"{quantities:,}", at, "quantities.count", at),
            Words(" of the reported quantities are alike in all of these"),
        )

    def _column(self, at: int, column: Alternative) -> Column:
        view = self.views[at]
        if view is None:
            return Column(column.address, column.label, (), ())
        declarations = tuple(
            replace(d, facts=tuple(f for f in d.facts if f.lacking)) for d in view.declarations
        )
        return Column(column.address, column.label, declarations, tuple(r.text for r in view.remarks))

    def _verdicts(self) -> Iterable[Verdict]:
        held = [{v.id: v for v in column.verdicts} for column in self.matrix.columns]
        asked = {id: verdict for column in held for id, verdict in column.items()}
        for id, verdict in asked.items():
            found = tuple(STATUS[each[id].status] if id in each else (NOT_ASKED, "open") for each in held)
            base = held[0].get(id)
            lapses = tuple(
                lapsed(base.status, each[id].status) if base is not None and id in each else ""
                for each in held
            )
            carried = [each[id].caveats if id in each else () for each in held]
            own = tuple(tuple(c for c in caveats if c not in carried[0]) for caveats in carried)
            statuses = [each[id].status for each in held if id in each]
            unmet = any(status not in _MET for status in statuses) and self._is_asked_of_base(verdict)
            yield Verdict(verdict.label, verdict.written, found, lapses, own, len(set(found)) > 1, unmet)

    def _is_asked_of_base(self, verdict: VerdictDoc) -> bool:
        """Whether what is required leans on a number of the thing whose options these are: what is asked of another thing
        is no matter of theirs."""
        sides = (verdict.left, verdict.right)
        names = [name for side in sides for name in (side.address, *references(side.formula)) if name]
        return any(
            under(address, self.matrix.base) is not None for address in closure(self.of.quantities, names)
        )

    def _row(self, address: str) -> Quantities:
        rest = address[len(self.matrix.base) :]
        held = [self.of.quantities.get(column.address + rest) for column in self.matrix.columns]
        first = next(q for q in held if q is not None)
        ends = self._ends([q for q in held if q is not None])
        printed = dict(zip((e.address for e in ends), numerals_together(ends), strict=True))
        by_address = {e.address: e for e in ends}
        cells = tuple(self._cell(at, q, held[0], address, by_address, printed) for at, q in enumerate(held))
        return Quantities(address, first.label or "", cells)

    def _ends(self, held: list[Quantity]) -> list[Ends]:
        """The different values of a row, in one unit."""
        every = {q.address: replace(quantity_ends(q), target=self._target(q)) for q in held}
        values = [value for ends in every.values() for _, value in ends.parts()]
        unit = chosen(self.spelled[held[0].address], values, self.families)
        return [replace(ends, unit=unit) for ends in every.values()]

    def _target(self, quantity: Quantity) -> str:
        """Where a number of an option leads: to its derivation, or to what makes the option."""
        if quantity.address in self.of.listed:
            return quantity.address
        top = top_of(quantity.address)
        return f"option:{top}" if depth_of(top) else quantity.address

    def _cell(
        self,
        at: int,
        quantity: Quantity | None,
        base: Quantity | None,
        name: str,
        ends: dict[str, Ends],
        printed: dict[str, dict[str, Numeral]],
    ) -> Cell:
        if quantity is None:
            return Cell((), (), (), (), (), changed=at > 0, missing=True)
        own, parts = ends[quantity.address], printed[quantity.address]
        value = headline(own, parts)
        if quantity.truth is not None:
            value = (Words("true" if quantity.truth else "false"),)
        # Beside a range, that another value has none is told: the two may be the same number otherwise.
        ranged = any(not one.is_point and one.nominal is not None for one in ends.values())
        tells = ranged and quantity.truth is None and own.nominal is not None
        notes: list[Pieces] = []
        if quantity.binds and (base is None or quantity.binds != base.binds or at == 0):
            notes.append((Words("bound by "), Quoted(quantity.binds)))
        differences = self.changed[at]
        changed = None if differences is None else differences.of(name, own.unit)
        silent = quantity.address in self.of.confidential.quantities
        if changed is None:
            return Cell(
                value, established(own, parts) if tells else (), (), (), tuple(notes), changed=False,
                confidential=silent,
            )  # fmt: skip
        option = self.matrix.columns[at].address
        prefix, target = f"difference:{option}:", f"option:{option}"
        shares = tuple(
            Share(_owned(s.names, prefix, target), _owned(s.value, prefix, target), s.facts)
            for s in changed.shares
        )
        separated = [note for note in changed.notes if note and not note[0].text.startswith("now bound")]
        return Cell(
            value, established(own, parts) if tells else (), _owned(changed.difference, prefix, target),
            shares[:FEW] if len(shares) > 1 else (), (*notes, *separated), changed=True,
            confidential=silent,
        )  # fmt: skip


def _owned(pieces: Pieces, prefix: str, target: str) -> Pieces:
    """Numbers of a comparison within a report: their address says of which option they are."""

    def owned(piece: Piece) -> Piece:
        match piece:
            case Numeral():
                return replace(piece, address=prefix + piece.address, target=target)
            case Reference(text=text):
                return Name(text)
            case _:
                return piece

    return tuple(map(owned, pieces))
