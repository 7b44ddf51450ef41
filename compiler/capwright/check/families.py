"""Formula families: one signature each, overloads that never tie, and which one a call takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from capwright.base.diagnostic import Note
from capwright.check.declared import Entity, Family, Overload, Scope
from capwright.check.report import Report
from capwright.check.slots import Slots
from capwright.syntax import tree


def declare_families(
    declarations: list[tuple[tree.FormulaDecl, Scope, bool]],
    slots: Slots,
    report: Report,
    *,
    verify_library: bool,
) -> None:
    """Fill every scope's families and check each: agreement first, then ambiguity.

    What the library alone has written no plan can make wrong: it is checked with `verify_library`.
    """
    for decl, scope, library in declarations:
        if verify_library or not library:
            _parameters(decl, report)
        read = [slots.read(p.type, p.kind, scope) for p in decl.parameters]
        result = slots.read(decl.type, decl.kind, scope)
        taken = [slot for slot in read if slot is not None]
        family = scope.families.setdefault(decl.name, Family(decl.name))
        if result is None or len(taken) != len(read):
            family.broken = True
            continue
        overload = Overload(decl, scope, tuple(taken), result, library)
        if decl.body is None:
            family.overloads.insert(0, overload)
        else:
            family.overloads.append(overload)
    for scope in {id(scope): scope for _, scope, _ in declarations}.values():
        for family in scope.families.values():
            family.broken = family.broken or family.name in scope.lost
    varied = _varied(declarations)
    scopes = {id(scope): scope for _, scope, _ in declarations}.values()
    for family in {id(f): f for scope in scopes for f in scope.families.values()}.values():
        _widest_first(family)
        if not verify_library and all(overload.library for overload in family.overloads):
            continue
        _agree(family, report)
        _rootless(family, varied, report)
        _ambiguous(family, report)


def _widest_first(family: Family) -> None:
    """The overload that takes all that the others take gives the signature, in whatever order they are declared."""
    if len(family.overloads) < 2 or family.signature.decl.body is None:
        return
    for at, overload in enumerate(family.overloads):
        if all(_covers(overload, other) for other in family.overloads):
            family.overloads.insert(0, family.overloads.pop(at))
            return


def _covers(wide: Overload, other: Overload) -> bool:
    """Whether it takes every entity that the other takes."""
    return len(wide.slots) == len(other.slots) and all(
        a.entity is None or b.entity is None or b.entity.is_a(a.entity)
        for a, b in zip(wide.slots, other.slots, strict=True)
    )


def _parameters(decl: tree.FormulaDecl, report: Report) -> None:
    """Parameters have different names."""
    seen: set[str] = set()
    for parameter in decl.parameters:
        if parameter.name in seen:
            report.say(
                "CW0201",
                parameter.span,
                f"`{decl.name}` has two parameters `{parameter.name}`",
                "rename one of the two",
            )
        seen.add(parameter.name)


def _varied(declarations: list[tuple[tree.FormulaDecl, Scope, bool]]) -> dict[Entity, bool]:
    """Entities that have variants, with whether the library itself declares one."""
    found: dict[Entity, bool] = {}
    for scope in {id(s): s for _, s, _ in declarations}.values():
        for entity in scope.entities.values():
            if entity.parent is not None:
                found[entity.parent] = found.get(entity.parent, False) or entity.library
    return found


def _rootless(family: Family, varied: dict[Entity, bool], report: Report) -> None:
    """A body on a root with variants would be inherited by whatever variant comes: it must say so."""
    for overload in family.overloads:
        if overload.decl.body is None or overload.decl.default:
            continue
        for entity in _entities(overload):
            if (
                entity.parent is None
                and not entity.unsure
                and (varied.get(entity, False) if overload.library else entity in varied)
            ):
                report.say(
                    "CW0233",
                    overload.decl.name_span,
                    f"`{family.name}` has a body for every `{entity.name}`, whatever its variant",
                    f"write it for a variant of `{entity.name}`, or write `default` before its `=` if every "
                    "variant, known and to come, may take it",
                )


def _agree(family: Family, report: Report) -> None:
    if not family.overloads:
        return
    first = family.signature
    for other in family.overloads[1:]:
        wrong = _disagreement(first, other)
        if wrong:
            report.say(
                "CW0231",
                other.decl.name_span,
                f"this `{family.name}` differs from the rest of its family in its {wrong}",
                "formulas of one name have one signature; rename this one, or make it agree",
                Note("the signature", first.decl.name_span),
            )


def _disagreement(first: Overload, other: Overload) -> str:
    if len(first.slots) != len(other.slots):
        return "number of parameters"
    for a, b in zip(first.slots, other.slots, strict=True):
        if a.sort != b.sort or (a.sort == "quantity" and a.dim is not b.dim):
            return "parameters"
        if a.sort == "entity":
            one, two = a.entity, b.entity
            if one is not None and two is not None and one.root is not two.root:
                return "parameters"
    if first.result.sort != other.result.sort or first.result.dim is not other.result.dim:
        return "unit"
    if first.result.kind != other.result.kind:
        return "kind"
    if (
        first.decl.body is not None
        and other.decl.body is not None
        and first.decl.relation != other.decl.relation
    ):
        return "relation"
    return ""


def _entities(overload: Overload) -> list[Entity]:
    found = [s.entity for s in overload.slots if s.sort == "entity"]
    return [e for e in found if e is not None]


def _ambiguous(family: Family, report: Report) -> None:
    bodies = [o for o in family.overloads if o.decl.body is not None]
    lines = {id(o): _entities(o) for o in bodies}
    written = {tuple(line) for line in lines.values()}
    for a, b in _related(bodies, lines):
        pairs = list(zip(lines[id(a)], lines[id(b)], strict=True))
        if all(x is y for x, y in pairs):
            report.say(
                "CW0201",
                b.decl.name_span,
                f"formula `{family.name}` is declared twice for the same parameters",
                "remove one of the two, or give one another variant",
                Note("the first declaration", a.decl.name_span),
            )
            continue
        if all(x.is_a(y) for x, y in pairs) or all(y.is_a(x) for x, y in pairs):
            continue
        meet = [x if x.is_a(y) else y for x, y in pairs]
        if tuple(meet) in written:
            continue
        written.add(tuple(meet))  # said once, however many fit equally well
        report.say(
            "CW0230",
            b.decl.name_span,
            f"`{family.name}` is ambiguous for ({', '.join(e.name for e in meet)}): "
            "this formula and another fit equally well",
            f"write `formula {family.name}` for ({', '.join(e.name for e in meet)}) too",
            Note("the other one", a.decl.name_span),
        )


def _related(bodies: list[Overload], lines: dict[int, list[Entity]]) -> Iterator[tuple[Overload, Overload]]:
    """The pairs of bodies that some arguments fit both of, in the order in which they are declared; of bodies for the same
    parameters each with the first alone.

    They are looked for by the parameter that tells most apart, and not among all pairs: a family may have a body for each
    of thousands of variants.
    """
    first: dict[tuple[Entity, ...], Overload] = {}
    again: dict[int, list[Overload]] = {}
    for body in bodies:
        same = first.setdefault(tuple(lines[id(body)]), body)
        if same is not body:
            again.setdefault(id(same), []).append(body)
    place = {id(body): at for at, body in enumerate(bodies)}
    for width in dict.fromkeys(map(len, first)):
        alike = {line: body for line, body in first.items() if len(line) == width}
        near = _near(list(alike), width)
        for line, body in alike.items():
            others = [
                alike[each]
                for each in near(line)
                if place[id(alike[each])] > place[id(body)]
                and all(x.is_a(y) or y.is_a(x) for x, y in zip(line, each, strict=True))
            ]
            later = sorted([*others, *again.get(id(body), ())], key=lambda each: place[id(each)])
            yield from ((body, each) for each in later)


_Line = tuple[Entity, ...]


def _near(lines: list[_Line], width: int) -> Callable[[_Line], Iterable[_Line]]:
    """Of lines of entities those that are related to one, in the place in which most are different."""
    if width == 0:
        return lambda _: ()
    by = max(range(width), key=lambda place: len({line[place] for line in lines}))
    own: dict[Entity, list[_Line]] = {}
    below: dict[Entity, list[_Line]] = {}
    for line in lines:
        own.setdefault(line[by], []).append(line)
        for entity in line[by].line:
            below.setdefault(entity, []).append(line)

    def near(line: _Line) -> Iterable[_Line]:
        found = dict.fromkeys(below[line[by]])
        for above in line[by].line:
            found.update(dict.fromkeys(own.get(above, ())))
        return found

    return near


def select(family: Family, given: tuple[Entity | None, ...]) -> Overload | None:
    """The overload for arguments of these entities (`None` for an argument that is no entity).

    The most specific body that fits and that each variant takes knowingly; None where there is none.
    """
    best: Overload | None = None
    for overload in family.overloads:
        if overload.decl.body is None or len(overload.slots) != len(given):
            continue
        if not _fits(family, overload, given):
            continue
        if best is None or _closer(overload, best):
            best = overload
    return best


def _fits(family: Family, overload: Overload, given: tuple[Entity | None, ...]) -> bool:
    for slot, entity in zip(overload.slots, given, strict=True):
        if entity is None or slot.sort != "entity":
            continue
        wanted = slot.entity
        if wanted is None or not entity.is_a(wanted):
            return False
        if wanted is not wanted.root and not takes(entity, wanted, family.name):
            return False
    return True


def takes(entity: Entity, wanted: Entity, family: str) -> bool:
    """Whether `entity` takes the overload of its ancestor `wanted`: knowingly, where it is a user's own.

    Library entities inherit along their line. A variant of a variant declared elsewhere says so with
    `inherits`; it is asked at every step of the line below `wanted`.
    """
    for step in entity.line:
        if step is wanted:
            return True
        if not step.knowing:
            continue
        if step.inherits.get(family) is None and step.inherits_all is None:
            return False
    return False


def _closer(a: Overload, b: Overload) -> bool:
    return all(x.is_a(y) for x, y in zip(_entities(a), _entities(b), strict=True))
