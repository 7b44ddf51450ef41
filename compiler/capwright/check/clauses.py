"""Names in clauses: the families that are excluded, the caveats that are discharged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from capwright.base.diagnostic import did_you_mean
from capwright.base.source import Span
from capwright.check.declared import Scope
from capwright.check.report import Report
from capwright.syntax import tree
from capwright.syntax.tree import Module


def check_clauses(modules: Mapping[str, Module], scopes: Mapping[str, Scope], report: Report) -> None:
    """Report exclusions that name no family and discharges of caveats that nothing declares."""
    clauses = [
        (found, span, scope)
        for key, scope in scopes.items()
        for found, span in _clauses(modules[key].statements)
    ]
    caveats = {caveat.name for found, _, _ in clauses for caveat in found.caveats}
    for found, span, scope in clauses:
        for excluded in found.excludes:
            if not excluded.quoted and excluded.name not in scope.families:
                report.say(
                    "CW0217",
                    excluded.span,
                    f"there is no formula `{excluded.name}` to exclude",
                    did_you_mean(excluded.name, scope.families) + "; quote words that name no formula",
                )
        for name in found.discharges:
            if name not in caveats:
                report.say(
                    "CW0236", span, f"no caveat `{name}` is declared anywhere", did_you_mean(name, caveats)
                )


def _clauses(
    statements: Iterable[tree.Statement | tree.Member],
) -> Iterator[tuple[tree.Clauses, Span]]:
    """The clauses of statements and of all that stands in their braces, each with its statement."""
    for statement in statements:
        clauses = getattr(statement, "clauses", None)
        if isinstance(clauses, tree.Clauses) and (clauses.excludes or clauses.caveats or clauses.discharges):
            yield clauses, statement.span
        match statement:
            case tree.Instance(body=inner) | tree.Block(body=inner) | tree.OptionDecl(body=inner):
                yield from _clauses(inner)
            case tree.EntityDecl(members=inner):
                yield from _clauses(inner)
            case _:
                pass
