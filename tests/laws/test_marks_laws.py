"""Laws of what travels with a number: caveats, exclusions, and the sources it leans on."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.programs import compiled

LAW = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))

SCOPES = ("capacity", "time")
KINDS = "kind size : number for capacity\nkind wait : number for time\nkind bare : number\n"
SCOPE_OF = {"size": "capacity", "wait": "time", "bare": None}


@dataclass(frozen=True)
class Named:
    """One named quantity: what it adds up, its kind, the caveat it declares and the ones it discharges."""

    name: str
    parts: tuple[str, ...]
    kind: str
    caveat: str | None
    discharges: tuple[str, ...]

    def text(self) -> str:
        line = f"{self.name} : number kind {self.kind} = " + (
            " + ".join(f"2 * {p}" for p in self.parts) or "3"
        )
        if self.caveat is not None:
            line += f'  caveat {self.name}_doubt for {self.caveat} "a doubt about {self.name}"'
        return line + (f"  discharges {', '.join(self.discharges)}" if self.discharges else "")


@st.composite
def chains(draw: st.DrawFn) -> list[Named]:
    """Quantities that add up some of the earlier ones."""
    found: list[Named] = []
    for number in range(draw(st.integers(1, 9))):
        earlier = [n.name for n in found]
        doubts = [f"{n.name}_doubt" for n in found if n.caveat is not None]
        found.append(
            Named(
                f"q{number}",
                tuple(draw(st.lists(st.sampled_from(earlier), max_size=3, unique=True))) if earlier else (),
                draw(st.sampled_from(sorted(SCOPE_OF))),
                draw(st.sampled_from([None, *SCOPES])),
                tuple(draw(st.lists(st.sampled_from(doubts), max_size=2, unique=True))) if doubts else (),
            )
        )
    return found


@LAW
@given(chains(), st.randoms(use_true_random=False))
def test_a_caveat_is_carried_discharged_by_name_or_out_of_scope(chain: list[Named], random: object) -> None:
    carried: dict[str, set[str]] = {}
    scope = {f"{n.name}_doubt": n.caveat for n in chain}
    for named in chain:
        below = set().union(*(carried[p] for p in named.parts)) if named.parts else set()
        own = {f"{named.name}_doubt"} if named.caveat is not None else set()
        carried[named.name] = (below | own) - set(named.discharges)
    lines = [n.text() for n in chain]
    random.shuffle(lines)  # type: ignore[attr-defined]
    document = compiled(KINDS + "\n".join(lines) + "\n").document
    assert document is not None
    for quantity in document.quantities:
        [named] = [n for n in chain if n.name == quantity.address]
        shown = {c for c in carried[named.name] if scope[c] == SCOPE_OF[named.kind]}
        assert {*quantity.caveats_here, *quantity.caveats_inherited} == shown
        assert not {*quantity.caveats_here} & {*quantity.caveats_inherited}
        inherited = set().union(*(carried[p] for p in named.parts)) if named.parts else set()
        assert set(quantity.caveats_here) == shown - inherited


@dataclass(frozen=True)
class Part:
    """One formula: the formulas it calls and the ones it says it leaves out."""

    name: str
    calls: tuple[str, ...]
    leaves_out: tuple[str, ...]


@st.composite
def families(draw: st.DrawFn) -> list[Part]:
    names = [f"part{n}" for n in range(draw(st.integers(2, 6)))]
    found: list[Part] = []
    for number, name in enumerate(names):
        calls = (
            tuple(draw(st.lists(st.sampled_from(names[:number]), max_size=2, unique=True))) if number else ()
        )
        others = [n for n in names if n != name]
        found.append(
            Part(name, calls, tuple(draw(st.lists(st.sampled_from(others), max_size=3, unique=True))))
        )
    return found


@LAW
@given(families(), st.data())
def test_a_sum_excludes_what_none_of_its_parts_contains(parts: list[Part], data: st.DataObject) -> None:
    reached: dict[str, set[str]] = {}
    left_out: dict[str, set[str]] = {}
    for part in parts:
        reached[part.name] = {part.name}.union(*(reached[c] for c in part.calls))
        left_out[part.name] = set(part.leaves_out).union(*(left_out[c] for c in part.calls))
    chosen = data.draw(st.lists(st.sampled_from([p.name for p in parts]), min_size=1, unique=True))
    lines = [
        f"formula {p.name}(n: number) : number"
        + (f" excludes {', '.join(p.leaves_out)}" if p.leaves_out else "")
        + " = n"
        + "".join(f" + {c}(n + {at})" for at, c in enumerate(p.calls))
        for p in parts
    ]
    document = compiled("\n".join([*lines, "total = " + " + ".join(f"{c}(1)" for c in chosen), ""])).document
    assert document is not None
    [total] = [q for q in document.quantities if q.address == "total"]
    inside = set().union(*(reached[c] for c in chosen))
    assert set(total.exclusions) == set().union(*(left_out[c] for c in chosen)) - inside


@LAW
@given(st.lists(st.lists(st.integers(0, 4), max_size=3, unique=True), min_size=1, max_size=6))
def test_a_sum_leans_on_the_sources_below_it(rows: list[list[int]]) -> None:
    sources = "\n".join(f'assume s{n} = {n + 1} in {n} .. {n + 2}  because "an example"' for n in range(5))
    leaning: list[set[str]] = []
    lines: list[str] = []
    for number, row in enumerate(rows):
        before = [f"q{number - 1}"] if number % 2 else []
        lines.append(f"q{number} = " + " + ".join(["1", *before, *(f"s{n}" for n in row)]))
        leaning.append({f"s{n}" for n in row} | (leaning[-1] if before else set()))
    document = compiled(sources + "\n" + "\n".join(lines) + "\n").document
    assert document is not None
    for quantity in document.quantities:
        for address in (quantity.address, *quantity.aliases):
            if address.startswith("q"):
                assert set(quantity.sources) == leaning[int(address[1:])]


NAMESAKES = (
    'a : number kind size = 3  caveat guess for capacity "nobody has looked"',
    'b : number kind wait = 4  caveat guess for time "somebody looked once."',
    'c : number kind size = 5  caveat guess permanent for capacity "a part is missing"',
    'd : number kind size = 6  caveat guess for time, capacity "nobody has looked"',
)


@given(st.permutations(NAMESAKES))
def test_caveats_of_one_name_say_what_each_of_them_says_in_whichever_order(lines):
    doc = compiled(KINDS + "\n".join(lines) + "\nreport a, b, c, d\n").sound
    [caveat] = doc.caveats
    assert caveat.text == "a part is missing. nobody has looked. somebody looked once."
    assert (caveat.scope, caveat.permanent) == ("capacity, time", True)
