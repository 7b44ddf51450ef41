"""Which overload a call takes, for every pair of variants of a small hierarchy."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from capwright.base.source import Source
from capwright.check.declared import Entity
from capwright.check.families import select
from capwright.check.program import Program, check
from capwright.check.report import Report
from capwright.syntax.parse import parse
from tests.support.programs import codes, compiled

ENTITIES = """
entity root { }
entity left : root { }
entity right : root { }
entity leftmost : left { inherits all from left }
"""
NAMES = ("root", "left", "right", "leftmost")


def checked(text: str) -> tuple[Program, Report]:
    module, problems = parse(Source("p.plan", text))
    assert not problems
    return check("p.plan", {"p.plan": module}, {}, frozenset(), ())


def distance(entity: Entity, wanted: Entity) -> int | None:
    """How many steps up from an entity to an ancestor of it."""
    return entity.line.index(wanted) if wanted in entity.line else None


@given(st.sets(st.sampled_from(list(product(NAMES, NAMES))), min_size=1, max_size=8))
def test_a_call_takes_the_closest_overload_or_the_declaration_is_ambiguous(
    pairs: set[tuple[str, str]],
) -> None:
    ordered = sorted(pairs)
    lines = [f"formula f(x: {a}, y: {b}) : number default = {n}" for n, (a, b) in enumerate(ordered)]
    program, report = checked(ENTITIES + "formula f(x: root, y: root) : number\n" + "\n".join(lines))
    family = program.main.families["f"]
    ambiguous = any(d.code == "CW0230" for d in report.found)
    assert {d.code for d in report.found} <= {"CW0230"}
    entities = program.main.entities
    for a, b in product(NAMES, NAMES):
        fits = [
            (one, two)
            for x, y in ordered
            if (one := distance(entities[a], entities[x])) is not None
            and (two := distance(entities[b], entities[y])) is not None
        ]
        closest = [p for p in fits if all(p[0] <= q[0] and p[1] <= q[1] for q in fits)]
        chosen = select(family, (entities[a], entities[b]))
        if not fits:
            assert chosen is None
        elif not ambiguous:
            assert chosen is not None
            [best] = closest
            found = [
                (distance(entities[a], slot.entity), distance(entities[b], other.entity))
                for slot, other in [chosen.slots]
                if slot.entity is not None and other.entity is not None
            ]
            assert found == [best]
        elif len(closest) == 1:
            assert chosen is not None
    # Without a word of warning, no pair has two overloads that fit equally well.
    if not ambiguous:
        for a, b in product(NAMES, NAMES):
            fits = [
                (x, y) for x, y in ordered if entities[a].is_a(entities[x]) and entities[b].is_a(entities[y])
            ]
            least = [
                (x, y)
                for x, y in fits
                if all(entities[x].is_a(entities[u]) and entities[y].is_a(entities[v]) for u, v in fits)
            ]
            assert len(least) == bool(fits)


def test_a_plans_own_variant_of_a_variant_takes_nothing_unasked() -> None:
    program, report = checked(
        "entity root { }\nentity left : root { }\nentity own : left { }\nentity asks : left { inherits f from left }\n"
        "formula f(x: root) : number\nformula f(x: left) : number = 1\n"
    )
    assert not report.found
    family, entities = program.main.families["f"], program.main.entities
    assert select(family, (entities["left"],)) is not None
    assert select(family, (entities["asks"],)) is not None
    assert select(family, (entities["own"],)) is None


def test_the_librarys_variants_inherit_along_their_line() -> None:
    text = (
        "entity root { }\nentity left : root { }\nentity own : left { }\n"
        "formula f(x: root) : number\nformula f(x: left) : number = 1\n"
    )
    module, _ = parse(Source("p.plan", text))
    program, _ = check("p.plan", {"p.plan": module}, {}, frozenset({"p.plan"}), ())
    assert select(program.main.families["f"], (program.main.entities["own"],)) is not None


def test_a_body_with_more_parameters_than_its_family_is_told_and_never_chosen():
    found = compiled(
        "entity b {}\nentity b1 : b {}\nentity b2 : b {}\nformula f(x: b1) : number = 1\n"
        "formula f(x: b2) : number = 2\nformula f(x: b1, y: number) : number = 3 + y\nb1 q {}\nz = f(q)\n"
    )
    assert codes(found) == ["CW0231", "CW0201"]


def test_bodies_for_many_variants_are_not_all_compared(monkeypatch):
    """Of thousands of variants of one thing none is another: each body is compared with those it may tie with."""
    asked = []
    is_a = Entity.is_a
    monkeypatch.setattr(Entity, "is_a", lambda one, other: asked.append(1) or is_a(one, other))
    count = 200
    entities = "".join(f"entity v{at} : root {{ }}\n" for at in range(count))
    bodies = "".join(f"formula f(x: v{at}, y: root) : number default = 1\n" for at in range(count))
    _, report = checked(f"entity root {{ }}\n{entities}formula f(x: root, y: root) : number\n{bodies}")
    assert not report.found
    assert len(asked) < 20 * count
