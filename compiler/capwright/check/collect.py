"""All statements of all files into scopes, with every name declared once."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from msgspec import Struct, field

from capwright.base.address import option_address
from capwright.base.diagnostic import Note
from capwright.base.source import Span
from capwright.check.declared import Family, Lost, Named, Orders, Scope
from capwright.check.report import Report
from capwright.syntax import tree
from capwright.syntax.tree import Module

TRUTHS: Final = ("true", "false")
"""Words that mean the same in every file, so that no value is called so."""
PLAIN_TYPES: Final = ("number", "text", "bool")
"""Types that the language has without the kernel's."""


class Words(Struct, frozen=True):
    """Names that the language gives to functions and to types of values, so that no formula, and no entity, has them: they
    would mean something else in every file."""

    functions: AbstractSet[str]
    types: AbstractSet[str]


class Collected(Struct):
    """The raw declarations by scope, and what the plan asks for."""

    main: Scope
    scopes: dict[str, Scope] = field(default_factory=dict)
    """Module key to the scope that its statements live in."""
    units: list[tree.UnitDecl] = field(default_factory=list)
    kinds: list[tuple[tree.KindDecl, Scope]] = field(default_factory=list)
    entities: list[tuple[tree.EntityDecl, Scope, bool]] = field(default_factory=list)
    formulas: list[tuple[tree.FormulaDecl, Scope, bool]] = field(default_factory=list)
    options: list[tuple[tree.OptionDecl, Scope, bool]] = field(default_factory=list)
    dotted: list[tuple[tree.Binding | tree.Assume, Scope, bool]] = field(default_factory=list)
    broken: list[tuple[tree.Broken, Scope, bool]] = field(default_factory=list)
    lost: Lost = field(default_factory=Lost)
    """What could not be read anywhere: units, caveats, purposes and measurements belong to the whole program."""
    orders: Orders = field(default_factory=Orders)
    borrowed: list[tuple[Scope, Scope, Module]] = field(default_factory=list)
    """(scope, home of the file, file): names that a scope takes from where they are declared."""


def collect(
    main: str,
    modules: Mapping[str, Module],
    uses: Mapping[tuple[str, str], str],
    library: frozenset[str],
    words: Words,
    report: Report,
) -> Collected:
    """Lay out the scopes from the file `main` on. A file behind `as` gets a scope of its own. What has one of `words` for
    its name is lost.

    Every file is declared once, in the first scope that reaches it; other scopes borrow its names.
    """
    result = Collected(Scope(""))
    found: dict[tuple[Scope, str, str], Span] = {}
    spaces: dict[str, Scope] = {}
    waiting = [(main, result.main)]
    while waiting:
        start, scope = waiting.pop(0)
        for key in closure(start, modules, uses):
            _lose(scope.lost, key, modules, uses)
            home = result.scopes.setdefault(key, scope)
            if home is not scope:
                result.borrowed.append((scope, home, modules[key]))
                continue
            for statement in modules[key].statements:
                if not isinstance(statement, tree.Use) and not _is_taken(statement, scope, words, report):
                    _place(result, statement, scope, key in library, found, report)
        for key in closure(start, modules, uses):
            for use in modules[key].uses:
                if use.alias is None:
                    continue
                target = uses.get((key, use.target))
                if target is None or target not in modules:
                    unread = Scope(f"{use.alias}.", lost=Lost(everything=True))
                    scope.spaces.setdefault(use.alias, unread)
                    result.lost.everything = True
                    continue
                if _space(use, use.alias, target, scope, spaces, report):
                    waiting.append((target, spaces[target]))
        result.lost.add(scope.lost)
    return result


def _lose(lost: Lost, key: str, modules: Mapping[str, Module], uses: Mapping[tuple[str, str], str]) -> None:
    """Note the names of a file that did not parse, and those of files that it uses and that were not read."""
    for statement in modules[key].broken:
        lost.names.update(path[0] for path in statement.paths if len(path) == 1)
        lost.everything = lost.everything or statement.rest
    for use in modules[key].uses:
        if use.alias is None:
            lost.everything = lost.everything or uses.get((key, use.target)) not in modules


def closure(start: str, modules: Mapping[str, Module], uses: Mapping[tuple[str, str], str]) -> list[str]:
    """The files that `start` reaches by `use` without `as`, itself first."""
    found: dict[str, None] = {start: None}
    waiting = [start]
    while waiting:
        current = waiting.pop(0)
        for use in modules[current].uses:
            if use.alias is None:
                target = uses.get((current, use.target))
                if target is not None and target in modules and target not in found:
                    found[target] = None
                    waiting.append(target)
    return list(found)


def _space(
    statement: tree.Use, alias: str, target: str, scope: Scope, spaces: dict[str, Scope], report: Report
) -> bool:
    """Give a file behind `as` its scope; whether it is a new one."""
    known = spaces.get(target)
    held = scope.spaces.get(alias)
    if alias in scope.values:
        report.say(
            "CW0201",
            statement.span,
            f"`{alias}` is a value here, so it cannot name a file",
            "rename one of the two",
        )
        return False
    if held is not None and held is not known:
        report.say(
            "CW0202",
            statement.span,
            f"`{alias}` already stands for another file",
            "give this file another name after `as`",
        )
        return False
    if known is not None:
        scope.spaces[alias] = known
        return False
    spaces[target] = scope.spaces[alias] = Scope(f"{scope.prefix}{alias}.", target, all_kinds=scope.all_kinds)
    return True


def _is_taken(statement: tree.Statement, scope: Scope, words: Words, report: Report) -> bool:
    """Whether a formula or an entity would take a word of the language for its name."""
    match statement:
        case tree.FormulaDecl(name=name) if name in words.functions:
            sort = "function"
        case tree.EntityDecl(name=name) if name in words.types:
            sort = "type"
        case _:
            return False
    scope.lost.names.add(name)
    report.say("CW0201", statement.name_span, f"`{name}` is a {sort} of the language", "rename it")
    return True


def _place(
    result: Collected,
    statement: tree.Statement,
    scope: Scope,
    library: bool,
    found: dict[tuple[Scope, str, str], Span],
    report: Report,
) -> None:
    orders = result.orders
    ask = scope is result.main
    match statement:
        case tree.UnitDecl():
            result.units.append(statement)
        case tree.KindDecl():
            if _new("kind", statement.name, statement.name_span, scope, found, library, report):
                result.kinds.append((statement, scope))
        case tree.EntityDecl():
            if _new("entity", statement.name, statement.name_span, scope, found, library, report):
                result.entities.append((statement, scope, library))
        case tree.FormulaDecl():
            result.formulas.append((statement, scope, library))
        case tree.Instance():
            if _new("value", statement.name, statement.name_span, scope, found, library, report):
                scope.values[statement.name] = Named(statement, library)
        case tree.Binding() | tree.Assume():
            if len(statement.path) > 1:
                result.dotted.append((statement, scope, library))
            elif _new("value", statement.path[0], statement.path_span, scope, found, library, report):
                scope.values[statement.path[0]] = Named(statement, library)
        case tree.OptionDecl():
            result.options.append((statement, scope, library))
            if ask:
                orders.options.append(statement)
        case tree.Broken():
            result.broken.append((statement, scope, library))
        case tree.Requirement() if ask:
            orders.requirements.append(statement)
        case tree.Report() if ask:
            orders.reports.append(statement)
        case tree.View() if ask:
            orders.views.append(statement)
        case tree.Measure() if ask:
            orders.measures.append(statement)
        case tree.Evidence() if ask:
            orders.evidence.append(statement)
        case tree.Moved() if ask:
            orders.moved.append(statement)
        case _:
            pass


def _new(
    sort: str,
    name: str,
    span: Span,
    scope: Scope,
    found: dict[tuple[Scope, str, str], Span],
    library: bool,
    report: Report,
) -> bool:
    key = (scope, sort, name)
    old = found.get(key)
    if sort == "value" and name in TRUTHS:
        report.say(
            "CW0201", span, f"`{name}` is a word of the language: the one truth or the other", "rename it"
        )
        return False
    if old is None:
        found[key] = span
        return True
    if old != span:
        # The writer of a plan can mend the plan, not the library: the message stands at the plan's place.
        at, other = (old, span) if library else (span, old)
        report.say(
            "CW0201",
            at,
            f"`{name}` is declared twice",
            "rename one of the two, or remove one",
            Note("the other declaration", other),
        )
    return False


def borrow(raw: Collected) -> None:
    """Let every scope see the entities, kinds, families and values of files that live in another one.

    Called when entities and kinds are named and before families are filled, so that all share one object.
    """
    for scope, home, module in raw.borrowed:
        for statement in module.statements:
            match statement:
                case tree.EntityDecl(name=name):
                    if name in home.entities:
                        scope.entities[name] = home.entities[name]
                case tree.KindDecl(name=name):
                    if name in home.kinds:
                        scope.kinds[name] = home.kinds[name]
                    else:
                        scope.lost.names.add(name)
                case tree.FormulaDecl(name=name):
                    scope.families[name] = home.families.setdefault(name, Family(name))
                case tree.Instance(name=name):
                    _borrow_value(scope, home, name)
                case tree.Binding(path=(name,)) | tree.Assume(path=(name,)):
                    _borrow_value(scope, home, name)
                case tree.OptionDecl(base=tree.Name(name=base), name=name):
                    _borrow_value(scope, home, option_address(base, name))
                case _:
                    pass


def _borrow_value(scope: Scope, home: Scope, name: str) -> None:
    if name in home.values and name not in scope.values:
        scope.values[name] = home.values[name]
        scope.homes[name] = home
