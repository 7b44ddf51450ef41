"""Names in clauses: the families that are excluded, the caveats that are discharged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from capwright.base.diagnostic import Spelling
from capwright.check.declared import Lost, Scope
from capwright.check.other_sorts import misplaced
from capwright.check.report import Report
from capwright.syntax import tree
from capwright.syntax.tree import Module


def check_clauses(
    modules: Mapping[str, Module], scopes: Mapping[str, Scope], lost: Lost, report: Report
) -> None:
    """Report exclusions that name no family, discharges of caveats that nothing declares, caveats that no kind
    would ever show, and assumptions from measurements that do not exist. What clauses name that do not parse is lost."""
    for key in scopes:
        lost.names.update(
            word for one in modules[key].everything if type(one) is tree.Broken for word in one.words
        )
    clauses = [
        (found, one.span, scope) for key, scope in scopes.items() for one, found in modules[key].naming
    ]
    caveats = {caveat.name for found, _, _ in clauses for caveat in found.caveats}
    measured = {
        s.name for m in modules.values() for s in m.statements if isinstance(s, tree.Measure) and s.name
    }
    for found, span, scope in clauses:
        _excluded(found, scope, report)
        _scoped(found, scope, lost, report)
        for name in found.discharges:
            if name not in caveats and name not in lost and "caveat" not in lost.names:
                report.say(
                    "CW0236", span, f"no caveat `{name}` is declared anywhere", Spelling(name, caveats)
                )
        if found.from_measure is None or found.from_measure in measured:
            continue
        if found.from_measure not in lost and "measure" not in lost.names:
            report.say(
                "CW0238",
                span,
                f"there is no measurement `{found.from_measure}`",
                Spelling(found.from_measure, measured) + "; `measure … as NAME` names one",
            )


def check_inherits(declarations: Iterable[tuple[tree.EntityDecl, Scope, bool]], report: Report) -> None:
    """Report `inherits` of formulas that do not exist, or from something the entity is no variant of."""
    for decl, scope, _ in declarations:
        entity = scope.entities[decl.name]
        for member in decl.members:
            if not isinstance(member, tree.Inherits):
                continue
            ancestor = scope.entity(member.variant)
            known = not entity.unsure and (ancestor is not None or not scope.unsaid(member.variant))
            if known and ancestor not in entity.line[1:]:
                report.say(
                    "CW0239",
                    member.variant_span,
                    f"`{decl.name}` is no variant of `{member.variant}`, so it has nothing to inherit from it",
                    Spelling(member.variant, [e.name for e in entity.line[1:]]),
                )
            for family in member.families:
                if family not in scope.families and not scope.unsaid(family):
                    report.say(
                        "CW0217",
                        member.span,
                        misplaced(scope, family, "a formula to inherit")
                        or f"there is no formula `{family}` to inherit",
                        Spelling(family, scope.families, missing="formula"),
                    )


def _excluded(clauses: tree.Clauses, scope: Scope, report: Report) -> None:
    for excluded in (*clauses.excludes, *clauses.includes):
        if excluded.quoted or excluded.name in scope.families:
            continue
        if not scope.unsaid(excluded.name):
            report.say(
                "CW0217",
                excluded.span,
                misplaced(scope, excluded.name, "a formula to exclude or include")
                or f"there is no formula `{excluded.name}` to exclude or include",
                Spelling(excluded.name, scope.families, missing="formula")
                + "; quote words that name no formula",
            )


def _scoped(clauses: tree.Clauses, scope: Scope, lost: Lost, report: Report) -> None:
    purposes = {k.decl.scope for k in scope.all_kinds.values() if k.decl.scope is not None}
    for caveat in clauses.caveats:
        for purpose in caveat.scopes:
            if purpose in purposes or purpose in lost:
                continue
            report.say(
                "CW0237",
                caveat.span,
                f"no kind is `for {purpose}`, so nothing would ever show the caveat `{caveat.name}`",
                Spelling(purpose, purposes),
            )
