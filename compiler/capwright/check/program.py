"""The checked program: everything declared, ready to be expanded."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.diagnostic import Spelling
from capwright.base.dimension import UnitTable, UnknownUnit
from capwright.base.exact import TooLarge
from capwright.check.clauses import check_clauses, check_inherits
from capwright.check.collect import PLAIN_TYPES, Collected, Words, borrow, collect
from capwright.check.declared import Kind, Lost, Orders, Scope
from capwright.check.entities import fill_entities, name_entities
from capwright.check.families import declare_families
from capwright.check.reaching import file_broken, file_extras, file_options
from capwright.check.report import Elsewhere, Report
from capwright.check.slots import Slots
from capwright.check.units import lost_unit, unit_out_of_bounds, unit_table
from capwright.syntax import tree
from capwright.syntax.tree import Module


class Program(Struct, frozen=True):
    """Scopes with their names resolved, the units, and what the plan asks for."""

    main: Scope
    scopes: Mapping[str, Scope]
    units: UnitTable
    slots: Slots
    orders: Orders
    formulas: tuple[tuple[tree.FormulaDecl, Scope, bool], ...]
    library: frozenset[str]


def check(
    main: str,
    modules: Mapping[str, Module],
    uses: Mapping[tuple[str, str], str],
    library: frozenset[str],
    value_types: tuple[str, ...],
    elsewhere: Elsewhere | None = None,
    *,
    functions: AbstractSet[str] = frozenset(),
    verify_library: bool = False,
) -> tuple[Program, Report]:
    """Resolve every declaration of the files that `main` reaches. The report goes on into expansion.

    `value_types` and `functions` are the kernel's and the language's: no entity, and no formula, is called like one.
    `elsewhere` knows what could be used and is not, as in `Report`. With `verify_library` the library's own formulas
    are checked against each other too.
    """
    report = Report(elsewhere)
    words = Words(functions, frozenset((*PLAIN_TYPES, *value_types)))
    raw = collect(main, modules, uses, library, words, report)
    units = unit_table(raw.units, report, raw.lost)
    slots = Slots(units, value_types, raw.lost, report)
    _kinds(raw, units, report)
    name_entities(raw.entities)
    file_options(raw, report)
    borrow(raw)
    fill_entities(raw.entities, slots, report)
    declare_families(raw.formulas, slots, report, verify_library=verify_library)
    file_extras(raw, report)
    file_broken(raw)
    check_clauses(modules, raw.scopes, raw.lost, report)
    check_inherits(raw.entities, report)
    _no_unit_names(raw, report)
    program = Program(raw.main, raw.scopes, units, slots, raw.orders, tuple(raw.formulas), library)
    return program, report


def _kinds(raw: Collected, units: UnitTable, report: Report) -> None:
    for decl, scope in raw.kinds:
        try:
            dim = units.read(decl.unit).dim if decl.unit not in ("number", "") else units.read("").dim
        except UnknownUnit as unknown:
            name = str(unknown.args[0])
            scope.lost.names.add(decl.name)
            raw.lost.names.update([] if decl.scope is None else [decl.scope])
            if not lost_unit(name, raw.lost):
                report.say(
                    "CW0303",
                    decl.unit_span,
                    f"`{name}` is no unit",
                    Spelling(name, units.by_name, missing="unit"),
                )
            continue
        except TooLarge:
            scope.lost.names.add(decl.name)
            raw.lost.names.update([] if decl.scope is None else [decl.scope])
            report.say("CW0308", decl.unit_span, *unit_out_of_bounds(decl.unit))
            continue
        name = scope.prefix + decl.name
        scope.kinds[decl.name] = scope.all_kinds[name] = Kind(name, dim, decl)
    for decl, scope in raw.kinds:
        if decl.name in scope.kinds:
            _meeting(decl, scope, raw.lost, report)


def _meeting(decl: tree.KindDecl, scope: Scope, lost: Lost, report: Report) -> None:
    """Resolve the kinds that a kind meets."""
    found: list[str] = []
    for other in decl.meets:
        kind = scope.kind(other)
        if kind is not None:
            found.append(kind.name)
            continue
        if scope.unsaid(other):
            continue
        report.say(
            "CW0330",
            decl.span,
            f"`{decl.name}` meets `{other}`, which is no kind",
            Spelling(other, scope.kinds, missing="kind"),
        )
    _refusing(decl, scope, lost, report)
    kind = replace(scope.kinds[decl.name], meets=tuple(found))
    scope.kinds[decl.name] = scope.all_kinds[kind.name] = kind


def _refusing(decl: tree.KindDecl, scope: Scope, lost: Lost, report: Report) -> None:
    """A kind refuses purposes that some kind has."""
    purposes = {kind.decl.scope for kind in scope.all_kinds.values() if kind.decl.scope is not None}
    for purpose in decl.refuses:
        if purpose not in purposes and purpose not in lost:
            report.say(
                "CW0237",
                decl.span,
                f"no kind is `for {purpose}`, so `{decl.name}` would refuse nothing",
                Spelling(purpose, purposes),
            )


def _no_unit_names(raw: Collected, report: Report) -> None:
    """A value may not take a unit's name. It may take a symbol, such as `s`, which only ever follows a number."""
    taken = {name for decl in raw.units for name in decl.names}
    for name, named in raw.main.values.items():
        if name in taken and not named.library:
            statement = named.statement
            span = (
                statement.path_span
                if isinstance(statement, tree.Binding | tree.Assume)
                else statement.name_span
            )
            report.say(
                "CW0206",
                span,
                f"`{name}` is a unit, so it cannot name a value",
                f"rename it, for instance to `my_{name}`",
            )
