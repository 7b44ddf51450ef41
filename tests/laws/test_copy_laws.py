"""Laws of copies: an option, a copy, a dotted statement and `--set` are four ways to say one thing."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capwright.compiling import Compiled
from tests.support.programs import compiled

LAW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))

PLAN = """
unit byte, bytes symbol B
unit layer, layers counting
entity shape { layers : static whole layer default 2 layers; name : one of plain, odd default plain }
entity square : shape { side : byte; area : byte = side * 2 }
entity circle : shape { radius : byte; assume round : number = 3.2 in 3 .. 4  because "nobody has measured" }
formula size(s: shape) : byte
formula size(s: square) : byte over layer = (if s.name == odd then 3 else 1) * s.area * s.layers
formula size(s: circle) : byte over layer = s.round * s.radius * s.layers
entity box {
  lid : shape
  pieces : list of shape named piece
  factor : number default 1
  width : byte = factor * (size(lid) + sum(size(p) for p in pieces))
  inside { half : byte = width / 2; gap : byte default half; deep { rest : byte = width - gap } }
  stages : list of number default [1, 2]
  total : number = sum(s for s in stages)
}
square q { side = 3 B }
circle c { radius = 4 B }
box a { lid = q; piece x : circle { radius = 1 B }; piece y : square { side = 2 B } }
"""

CHANGES = {
    "lid": ["q", "c"],
    "lid.layers": ["7 layers", "1 layer"],
    "lid.name": ["odd"],
    "pieces.x.radius": ["5 B"],
    "pieces.x.layers": ["3 layers"],
    "pieces.y.side": ["9 B", "0 B"],
    "pieces.y.name": ["odd"],
    "factor": ["2", "1 / 3"],
    "inside.gap": ["1 B"],
    "stages": ["[5]", "[1, 2, 3]"],
    "override width": ["100 B"],
    "override pieces.y.area": ["11 B"],
    "override inside.half": ["2 B"],
}

changes = st.dictionaries(st.sampled_from(sorted(CHANGES)), st.integers(0, 1), max_size=5).map(
    lambda chosen: {path: CHANGES[path][at % len(CHANGES[path])] for path, at in chosen.items()}
)


def numbers(found: Compiled, owner: str) -> dict[str, tuple[Fraction | None, ...]]:
    """The ends of every quantity of a thing, by its address within it."""
    document = found.document
    assert document is not None, found.diagnostics
    held: dict[str, tuple[Fraction | None, ...]] = {}
    for quantity in document.quantities:
        for address in (quantity.address, *quantity.aliases):
            if address.startswith(owner + ".") and "/" not in address:
                ends = (quantity.low, quantity.nominal, quantity.high)
                held[address[len(owner) :]] = tuple(None if e is None else Fraction(e) for e in ends)
    return held


def braces(changed: dict[str, str]) -> str:
    return "{ " + "; ".join(f"{path} = {value}" for path, value in changed.items()) + " }"


def dotted(changed: dict[str, str]) -> str:
    """The same changes as statements at the top of the file."""
    lines = []
    for path, value in changed.items():
        word, _, rest = path.rpartition(" ")
        lines.append(f"{word} a.{rest} = {value}".strip())
    return "\n".join(lines) + "\n"


@LAW
@given(changes)
def test_an_option_a_copy_a_dotted_statement_and_a_set_agree(changed: dict[str, str]) -> None:
    base = numbers(compiled(PLAN), "a")
    said = numbers(compiled(PLAN + dotted(changed)), "a")
    found = compiled(f"{PLAN}option o of a {braces(changed)}\nbox b from a {braces(changed)}\n")
    sets = tuple((f"a.{path.rpartition(' ')[2]}", value) for path, value in changed.items())
    assert numbers(found, "a") == base
    assert numbers(found, "a@o") == {k: v for k, v in said.items() if k in numbers(found, "a@o")}
    assert {k for k, v in said.items() if base.get(k) != v} <= set(numbers(found, "a@o"))
    assert numbers(found, "b") == {k: v for k, v in said.items() if k in numbers(found, "b")}
    assert numbers(compiled(PLAN, overrides=sets), "a") == said


@LAW
@given(changes, changes)
def test_an_option_of_an_option_says_the_last_word(first: dict[str, str], second: dict[str, str]) -> None:
    # Another lid is another thing: what was said of the parts of the old one is not said of it.
    left = {
        path: value for path, value in first.items() if "lid" not in second or not path.startswith("lid.")
    }
    both = {**left, **second}
    text = f"{PLAN}option one of a {braces(first)}\noption two of a@one {braces(second)}\noption both of a {braces(both)}\n"
    found = compiled(text)
    one, two = numbers(found, "a@one@two"), numbers(found, "a@both")
    assert {k: one[k] for k in one if k in two} == {k: two[k] for k in two if k in one}


@LAW
@given(changes)
def test_a_copy_leaves_its_original_alone(changed: dict[str, str]) -> None:
    before = compiled(PLAN)
    after = compiled(f"{PLAN}option o of a {braces(changed)}\nbox b from a {braces(changed)}\n")
    for owner in ("a", "q", "c"):
        assert numbers(before, owner) == numbers(after, owner)
