"""Every number's derivation: symbols, numbers put in, result; and where it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from capwright.base.source import place_text
from capwright.document.plandoc import Provenance, Quantity, Tree
from capwright.render import formulas, mathml
from capwright.render.figures import exactly, in_full, quantity_ends
from capwright.render.folding import Folded, folded
from capwright.render.formulas import truth_or_value
from capwright.render.index import Index, deciding, printed, references, users
from capwright.render.measured import measurement_pieces, measurements_of
from capwright.render.pieces import Name, Numeral, Piece, Pieces, Quoted, Reference, Words, plain
from capwright.render.undecided import undecided
from capwright.render.verdicts import name_of
from capwright.render.words import RELATION, provenance_word

LISTED: Final = 12
"""Names past this many are counted and not listed."""
WIDEST: Final = 84
"""Formulas with more characters are printed as running text, which wraps; drawn ones do not. So are those
that a drawing says nothing more of, since in a text every name and number is a link."""


class Fact(Struct, frozen=True):
    """One line of a derivation: what it is about, and what there is to say.

    What `tells` nothing that its reader cannot see elsewhere is left out where pages must stay small.
    """

    term: str
    pieces: Pieces
    tells: bool = True


class Derivation(Struct, frozen=True):
    """How one number comes about. `names` are those that it only is another name of, and that are folded into it; `symbols`
    and `numbers` are the next two lines, in both notations.

    `sign` stands before the result; a bound or an estimate says its own. `is_above` says that the report shows the number
    before its derivations.
    """

    address: str
    label: str | None
    summary: Pieces
    names: Pieces
    symbols: Pieces
    symbols_math: str
    numbers: Pieces
    numbers_math: str
    sign: str
    result: Pieces
    exact: Pieces
    facts: tuple[Fact, ...]
    place: str
    line: str
    is_above: bool


def derivations(of: Index) -> tuple[Derivation, ...]:
    """The derivations that the page has, in document order."""
    used = users(of.doc.quantities, of)
    above = {of.target(address) for address in printed(of.doc)}
    return tuple(
        _derivation(quantity, of, used.get(quantity.address, []), is_above=quantity.address in above)
        for quantity in of.doc.quantities
        if quantity.address in of.listed
    )


def _derivation(quantity: Quantity, of: Index, used: list[Quantity], *, is_above: bool) -> Derivation:
    q = quantity
    ends = quantity_ends(q)
    fold = folded(q, of.quantities)
    body = fold.body
    tree = body.formula if body.formula is not None and body.formula["op"] != "const" else None
    symbols = formulas.symbols(tree, body) if tree else ()
    numbers = formulas.numbers_put_in(tree, body, of.quantities) if tree else ()
    short = max(len(plain(symbols)), len(plain(numbers))) <= WIDEST
    drawn = tree if tree is not None and short and mathml.gains(tree) else None
    return Derivation(
        address=q.address,
        label=q.label,
        summary=truth_or_value(q),
        names=fold.said(),
        symbols=symbols,
        symbols_math=mathml.symbols(drawn, body) if drawn else "",
        numbers=numbers,
        numbers_math=mathml.numbers_put_in(drawn, body, of.quantities) if drawn else "",
        sign="=" if ends.is_point or (q.nominal is not None and q.relation != "~") else "",
        result=in_full(ends) if q.truth is None else truth_or_value(q),
        exact=exactly(ends) if q.truth is None else (),
        facts=(*(_operands(drawn, body, of) if drawn else ()), *_facts(q, fold, of), *_used_by(q, used, of)),
        place=place_text(q.provenance.place),
        line=q.provenance.line,
        is_above=is_above,
    )


def _facts(q: Quantity, fold: Folded, of: Index) -> Iterable[Fact]:
    if q.address in of.confidential.quantities:
        yield Fact("Confidential", (Words("withheld from others, with all that derives from it"),))
    yield Fact(
        "Origin", origin(q.provenance), tells=q.provenance.sort != "derived" or bool(q.provenance.text)
    )
    if q.relation != "=":
        yield Fact("Establishes", (Words(RELATION[q.relation]),))
    for one in measurements_of(q, of.measured):
        yield Fact("Measured", measurement_pieces(one, Reference(one.address, f"measurement:{one.address}")))
    for condition in undecided(fold.body, of.quantities):
        yield Fact("Branch", not_established(condition, fold.body))
    decided = dict.fromkeys(address for one in (q, *fold.names) for address in deciding(one, of))
    yield from _listed("Decided by", [name_of(address, of) for address in decided], q.address, "decided_by")
    if q.kind:
        yield Fact("Kind", (Quoted(of.doc.kinds.get(q.kind, q.kind)),))
    if fold.body.binds:
        yield Fact("Binds", (Quoted(fold.body.binds),))
    if q.loose:
        yield Fact("Range", (Words("sound, and perhaps wider than need be"),))
    yield from _listed("Leans on", [name_of(name, of) for name in q.sources], q.address, "sources")
    yield from _listed("Caveats", caveat_names(q.caveats_here), q.address, "caveats_here")
    yield from _listed("Inherited caveats", caveat_names(q.caveats_inherited), q.address, "caveats_inherited")
    yield from _listed("Discharged", caveat_names(q.discharged), q.address, "discharged")
    yield from _listed("Excludes", [Quoted(name) for name in q.exclusions], q.address, "exclusions")
    yield from _listed("Also called", [Name(name) for name in q.aliases], q.address, "aliases")


def not_established(condition: Tree, q: Quantity) -> Pieces:
    """What is said of a choice in the formula of `q` that its numbers leave open."""
    return (Words("not established: "), *formulas.symbols(condition, q), Words("; both branches stand"))


def _operands(tree: Tree, q: Quantity, of: Index) -> Iterable[Fact]:
    """What the names of a drawn formula stand for, with the links that there are none of inside it."""
    value = formulas.value_of(q, of.quantities)
    pieces: list[Piece] = []
    for address in dict.fromkeys(references(tree)):
        name = Reference(formulas.short_name(address, q.address), address)
        found = (Words(" = "), *value(address)) if address in of.quantities else ()
        pieces += [Words(", " if pieces else ""), name, *found]
    if pieces:
        yield Fact("Where", tuple(pieces), tells=False)


def _used_by(q: Quantity, used: list[Quantity], of: Index) -> Iterable[Fact]:
    if used:
        names = [
            Reference(formulas.short_name(user.address, q.address), user.address)
            for user in used
            if user.address in of.listed
        ]
        yield Fact("Used by", listing(names, len(used), q.address, "used_by"), tells=False)


def _listed(term: str, names: Iterable[Piece], address: str, part: str) -> Iterable[Fact]:
    found = list(names)
    if found:
        yield Fact(term, listing(found, len(found), address, part))


def listing(names: Sequence[Piece], total: int, address: str, part: str) -> Pieces:
    """The first names with commas, and how many there are in all where that is more."""
    pieces: list[Piece] = []
    for name in names[:LISTED]:
        pieces += [Words(", "), name] if pieces else [name]
    if total > min(len(names), LISTED):
        pieces += [Words(" … "), Numeral(f"{total:,}", address, f"{part}.count", address), Words(" in all")]
    return tuple(pieces)


def caveat_names(names: Iterable[str]) -> list[Piece]:
    """Caveats by name, each leading to its text."""
    return [Reference(name, f"caveat:{name}") for name in names]


def origin(provenance: Provenance) -> Pieces:
    """`assumption: stream benchmark; review by 2027-03`, `choice; set by --block-size`."""
    pieces: list[Piece] = [Words(provenance_word(provenance))]
    if provenance.text:
        pieces += [Words(": "), Quoted(provenance.text)]
    if provenance.review:
        pieces += [Words("; review by "), Quoted(provenance.review)]
    if provenance.flag:
        pieces += [Words("; set by "), Quoted(provenance.flag)]
    return tuple(pieces)
