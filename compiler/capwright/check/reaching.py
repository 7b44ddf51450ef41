"""Options, and dotted statements that reach into a thing: each is filed with what it is about."""

from __future__ import annotations

from capwright.base.address import option_address
from capwright.base.diagnostic import Spelling
from capwright.check.collect import Collected
from capwright.check.declared import Extra, Named, Scope
from capwright.check.other_sorts import no_value
from capwright.check.report import Report
from capwright.syntax import tree


def file_options(raw: Collected, report: Report) -> None:
    """Give every option its name, `BASE@NAME`, in the scope of its file."""
    for option, scope, library in raw.options:
        if not isinstance(option.base, tree.Name):
            own = option.base.name if isinstance(option.base, tree.Attribute) else "mine"
            report.say(
                "CW0205",
                option.base.span,
                "an option is an option of a thing that this file, or one that it uses without `as`, declares",
                f"copy it, and make options of the copy: `TYPE {own} from PATH {{ }}`, `option {option.name} of {own} …`",
            )
            continue
        name = option_address(option.base.name, option.name)
        if name in scope.values:
            report.say(
                "CW0201", option.name_span, f"option `{name}` is declared twice", "rename one of the two"
            )
            continue
        scope.values[name] = Named(option, library)
    for option, scope, _ in raw.options:
        if isinstance(option.base, tree.Name) and option.base.name not in scope.values:
            # That is said of the base: whose option it was to be is not known, so any may be meant by its name.
            scope.lost.names.add(option_address("", option.name))


def file_extras(raw: Collected, report: Report) -> None:
    """File every dotted statement with the named thing that it reaches into."""
    for statement, scope, library in raw.dotted:
        home, path = _home(scope, statement.path)
        named = home.values.get(path[0])
        home = home.homes.get(path[0], home)
        if named is None and path[0] in home.lost:
            continue
        if named is None and (otherwise := no_value(home, path[0])) is not None:
            report.say("CW0203", statement.path_span, *otherwise)
        elif named is None:
            report.say(
                "CW0203",
                statement.path_span,
                f"there is nothing called `{path[0]}` here",
                Spelling(path[0], home.values, missing="value" if home is scope else None),
            )
        elif not _has_braces(named):
            report.say(
                "CW0209",
                statement.path_span,
                f"`{path[0]}` is declared without braces, so nothing can be set inside it",
                f"declare it as `TYPE {path[0]} {{ … }}` or `TYPE {path[0]} from OTHER {{ … }}`",
            )
        else:
            home.extras.setdefault(path[0], []).append(Extra(statement, scope, path, library))


def file_broken(raw: Collected) -> None:
    """File what does not parse, and seems to reach into a named thing, with that thing."""
    for statement, scope, library in raw.broken:
        for written in statement.paths:
            home, path = _home(scope, written)
            home = home.homes.get(path[0], home)
            if len(path) > 1 and path[0] in home.values:
                home.extras.setdefault(path[0], []).append(Extra(statement, scope, path, library))


def _home(scope: Scope, path: tuple[str, ...]) -> tuple[Scope, tuple[str, ...]]:
    """The scope that a path leads into, through files behind `as`, and what is left of it there."""
    while len(path) > 2 and path[0] in scope.spaces and path[0] not in scope.values:
        scope, path = scope.spaces[path[0]], path[1:]
    return scope, path


def _has_braces(named: Named) -> bool:
    statement = named.statement
    return isinstance(statement, tree.OptionDecl) or (
        isinstance(statement, tree.Instance) and statement.value is None
    )
