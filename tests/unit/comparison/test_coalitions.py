"""What declarations have in a difference, beside what the plan says when it is compiled under every coalition of the edits."""

from __future__ import annotations

import pytest

from capwright.comparison.compare import compare
from capwright.document.plandoc import PlanDoc
from capwright.graph import reach
from capwright.graph.evaluate import Machine
from capwright.kernel.masks_count import counted_pairs
from tests.support.compared import SHAPES, document, made, told, true_parts

PAIR = (
    SHAPES
    + """\
entity pair { a : shape; b : shape; both : byte = area(a) + area(b) }
square tile { v = 4 bytes }
round slab { v = 40 bytes; edge = 7 bytes }
pair p { a = tile; b = slab }
report p
"""
)


def test_edits_of_two_overloads_of_one_formula_are_two_declarations():
    docs = made(
        PAIR, (("byte = s.v\nformula", "byte = s.v * 2\nformula"), ("s.v + s.edge", "s.v + 3 * s.edge"))
    )
    square, round_ = true_parts(docs, "p.both")
    diff = compare(docs[0], docs[-1])
    assert (square, round_) == (4, 14)
    assert told(diff, "p.both") == {("area(s: square)",): square, ("area(s: round)",): round_}
    assert {(d.address, d.after) for d in diff.declarations} == {
        ("area(s: square)", "byte = s.v * 2"),
        ("area(s: round)", "byte = s.v + 3 * s.edge"),
    }


QUOTED = """\
unit byte, bytes symbol B
formula twice(n: byte) : byte because "as  #1 of the \\"#2 list\\" has it" = n * 2  # comments do not count
held : byte = twice(3 bytes)
report held
"""


def test_what_stands_behind_a_stroke_in_quotes_is_the_formula_too():
    before, after = document(QUOTED), document(QUOTED.replace("n * 2", "n * 3"))
    [formula] = before.formulas
    assert formula.text == 'byte because "as  #1 of the \\"#2 list\\" has it" = n * 2'
    assert told(compare(before, after), "held") == {("twice(…)",): 3}
    other = document(QUOTED.replace("as  #1", "as #1").replace("comments do not", 'no "comment" does'))
    assert other.formulas[0].text == formula.text.replace("as  #1", "as #1")


COPIES = """\
unit byte, bytes symbol B
entity square { v : byte }
formula plain(s: square) : byte = s.v
formula many(s: square, n: static whole) : byte = sum(s.v for i in range(n)) + 1 byte
entity box { of : square; n : static whole; held : byte = if n == 1 then plain(of) else many(of, n) }
square tile { v = 4 bytes }
square slab { v = 40 bytes }
box aside { of = tile; n = 1 }
box one { of = tile; n = 1 }
box two from one { n = 1 }
report two
"""


def test_a_copy_has_the_edit_of_what_it_copies_and_not_one_that_says_the_same_of_another_thing():
    edits = (
        ("aside { of = tile", "aside { of = slab"),
        ("one { of = tile", "one { of = slab"),
        ("from one { n = 1", "from one { n = 3"),
    )
    docs = made(COPIES, edits)
    aside, rebound, number = true_parts(docs, "two.held")
    assert (aside, rebound, number) == (0, 72, 45)
    diff = compare(docs[0], docs[-1])
    assert told(diff, "two.held") == {("one.of",): rebound, ("two.n",): number}


def deep(steps: int) -> str:
    """A thing that refers to a thing, so many times."""
    path = "of" + ".x" * steps + ".v"
    lines = ["unit byte, bytes symbol B", "entity l0 { v : byte }"]
    lines += [f"entity l{i} {{ x : l{i - 1} }}" for i in range(1, steps + 1)]
    lines.append(f"entity box {{ of : l{steps}; n : static whole")
    lines.append(f" held : byte = if n == 1 then {path} else {path} * 3 + 1 byte }}")
    for name, v in (("p", 4), ("q", 40)):
        lines.append(f"l0 {name}0 {{ v = {v} bytes }}")
        lines += [f"l{i} {name}{i} {{ x = {name}{i - 1} }}" for i in range(1, steps + 1)]
    return "\n".join([*lines, f"box one {{ of = p{steps}; n = 1 }}", "report one", ""])


@pytest.mark.parametrize("steps", [1, 3, 6])
def test_fields_are_followed_to_their_end(steps):
    docs = made(deep(steps), ((f"of = p{steps}", f"of = q{steps}"), ("n = 1 }", "n = 3 }")))
    rebound, number = true_parts(docs, "one.held")
    assert (rebound, number) == (72, 45)
    assert told(compare(docs[0], docs[-1]), "one.held") == {("one.of",): rebound, ("one.n",): number}


MODES = """\
unit byte, bytes symbol B
entity leaf { v : byte; mode : one of a, b default a }
entity inner { l : leaf; k : byte }
entity box { i : inner; n : static whole
  held : byte = if n == 1 then g(i) else h(i) }
entity tree { nodes : list of inner named node; sum : byte = sum(g(x) for x in nodes) }
formula g(x: inner) : byte = if x.l.mode == a then x.l.v + x.k else 2 * x.l.v
formula h(x: inner) : byte = g(x) * 3 + x.k
leaf la { v = 4 bytes }
leaf lb { v = 40 bytes; mode = b }
leaf lc { v = 400 bytes; mode = a }
inner ia { l = la; k = 1 bytes }
inner ib { l = lb; k = 2 bytes }
box one { i = ia; n = 1 }
tree t {
  node p { l = la; k = 1 bytes }
  node q { l = lb; k = 2 bytes }
}
report one, t
"""
REBOUND = ("one { i = ia", "one { i = ib")
EDITS = {
    "one.i": REBOUND, "ib.l": ("ib { l = lb", "ib { l = lc"), "ib.k": ("k = 2 bytes }\nbox", "k = 3 bytes }\nbox"),
    "g(…)": ("else 2 * x.l.v", "else 5 * x.l.v"), "h(…)": ("g(x) * 3", "g(x) * 4"), "one.n": ("n = 1 }", "n = 2 }"),
    "la.v": ("v = 4 ", "v = 7 "), "lb.mode": ("mode = b }", "mode = a }"), "ia.l": ("ia { l = la", "ia { l = lb"),
    "t.nodes.p.l": ("p { l = la", "p { l = lb"),
    "t.nodes.q.k": ("q { l = lb; k = 2", "q { l = lb; k = 7"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("address", "blocks"),
    [
        # The inner thing of one state has a leaf of the other mode, which neither document has a formula over.
        ("one.held", [("one.i", "ib.l")]),
        ("one.held", [("one.i", "g(…)"), ("ib.k",)]),
        ("one.held", [("ia.l", "lb.mode"), ("la.v",)]),
        # The edited branch is one that the other document does not take.
        ("t.sum", [("g(…)", "lb.mode"), ("la.v",)]),
        # A formula that one document alone calls.
        ("one.held", [("one.n", "h(…)"), ("one.i",)]),
        ("one.held", [("one.i",), ("one.n",)]),
        # An element's formula has another branch: nobody edited its line.
        ("t.sum", [("t.nodes.p.l",), ("t.nodes.q.k",)]),
        # No document has the edited formula of the mode that the element had.
        ("t.sum", [("t.nodes.p.l", "g(…)")]),
    ],
)
def test_states_that_no_document_has_a_formula_for_are_told_together_and_others_apart(address, blocks):
    """What is told of declarations that work together is what they have where they are edited at once."""
    docs = made(MODES, tuple(EDITS[name] for block in blocks for name in block))
    counts = [len(block) for block in blocks]
    masks = [((1 << count) - 1) << sum(counts[:at]) for at, count in enumerate(counts)]
    under = [sum(mask for at, mask in enumerate(masks) if c >> at & 1) for c in range(1 << len(blocks))]
    parts = true_parts([docs[mask] for mask in under], address)
    wanted = {tuple(sorted(block)): part for block, part in zip(blocks, parts, strict=True) if part}
    assert told(compare(docs[0], docs[-1]), address) == wanted


SERVED = """\
use std
use "std/models/meta_llama_3_1_8b.plan"
workload w {
  concurrency = 1 request
  class c { share = 40 %; shared_prefix = 100 tokens; input = 2_000 tokens; output = 1_000 tokens }
  class d { share = 60 %; input = 1_000 tokens; output = 1_000 tokens }
}
deployment prod {
  model = meta_llama_3_1_8b; cache = bf16_paged; device = nvidia.h100_sxm; workload = w
  engine = vllm_0_10_1 { max_model_len = 32_768 tokens }
}
report prod.decode, prod.kv
"""


@pytest.mark.parametrize(
    "edits",
    [
        {"concurrency": ("= 1 request", "= 37 requests"), "classes.d.output": ("1_000 tokens }\n}", "300 tokens }\n}")},
        {"concurrency": ("= 1 request", "= 37 requests"), "classes.c.input": ("2_000 tokens", "3_000 tokens")},
        {"classes.c.share": ("40 %", "0 %"), "classes.d.share": ("60 %", "100 %")},
        {"classes.c.share": ("40 %", "100 %"), "classes.d.share": ("60 %", "0 %")},
    ],
)  # fmt: skip
def test_what_only_follows_from_an_edit_is_no_declaration_of_its_own(edits):
    """Neither a default that is worked out of what was edited, nor what a formula takes by a share that is another one."""
    text = SERVED
    for before, after in edits.values():
        assert text.count(before) == 1
        text = text.replace(before, after)
    for one, two in ((SERVED, text), (text, SERVED)):
        diff = compare(document(one), document(two))
        assert {d.address for d in diff.declarations} == {f"w.{name}" for name in edits}
        assert {d.origin for d in diff.declarations} == {"plan edit"}


@pytest.mark.parametrize("apart", [0, 200])
def test_a_coalition_is_asked_of_what_the_number_is_made_of_alone(apart, monkeypatch):
    """However long the plans are beside it, and though all that they say stands on one graph."""
    lines = [f'assume x{n} = {n + 2} in {n + 1} .. {n + 3} because "a test"' for n in range(5)]
    lines += [f"y{n} = x{n % 5} * z" for n in range(apart)]
    lines += ["z = 1", "sum = x0 + x1 * x2 - x3 / x4 + x0 * x1", "require sum <= 40", "report sum"]
    lines += [f"report y{n}" for n in range(apart)]
    before = document("\n".join([*lines, ""]))
    after = document("\n".join([*lines, ""]).replace("1 ..", "1.5 ..").replace("3 ..", "3.5 .."))
    placed: list[int] = []

    def counted(tape, values, reached, node, original=reach._place):
        placed.append(node)
        original(tape, values, reached, node)

    monkeypatch.setattr(reach, "_place", counted)
    diff = compare(before, after)
    [verdict] = diff.verdicts
    assert len(verdict.change.causes) == 2
    assert 0 < len(placed) < 500


TEN = 10
"""Declarations of which every state is looked at."""


def ten(shift: int, rest: str) -> PlanDoc:
    """A plan of ten numbers, each another one with `shift`, whose sum `n` is another one in every state."""
    numbers = "\n".join(f"l{i} : whole token = {100 + shift * 2**i} tokens" for i in range(TEN))
    total = " + ".join(f"l{i}" for i in range(TEN))
    return document(f"use std\n{numbers}\nn : whole token = 20_000 tokens + {total}\n{rest}\n")


def test_counting_in_all_states_is_bounded(monkeypatch):
    """A mask that one plan may count is not counted a thousand times; the difference itself is told all the same."""
    mask = "causal and ((window(10 tokens) and chunked(100 tokens)) or (window(17 tokens) and chunked(113 tokens)))"
    docs = [ten(shift, f"t = pairs({mask}, n, n)\nreport t") for shift in (0, 1)]
    counted_pairs.cache_clear()
    compare(*docs)
    assert 200 < counted_pairs.cache_info().misses < 2**TEN
    counted_pairs.cache_clear()
    monkeypatch.setattr("capwright.graph.kernel_value.MOST_WORK", 20_000)
    diff = compare(*docs)
    assert counted_pairs.cache_info().misses < 100
    [(_, change)] = [(q.address, q.change) for q in diff.quantities if q.address == "t"]
    assert change.difference not in (None, "0")


@pytest.mark.parametrize(
    "rest",
    [
        "t : token = largest w in 1 tokens .. 100_000 tokens where w * w <= n * 7 tokens\nreport t",
        'assume u = 0.7 in 0.5 .. 0.8 because "two runs"\nt : token >= u * (n - u * n)\nreport t',
    ],
    ids=["search", "tightening"],
)
def test_searches_and_tightening_in_all_states_are_bounded(monkeypatch, rest):
    docs = [ten(shift, rest) for shift in (0, 1)]
    runs: list[int] = []
    run = Machine.run
    monkeypatch.setattr(Machine, "run", lambda machine, nodes: (runs.append(1), run(machine, nodes))[1])
    compare(*docs)
    everywhere, runs[:] = len(runs), []
    assert everywhere > 2**TEN
    monkeypatch.setattr("capwright.comparison.mixture._MOST_STEPS", 500)
    diff = compare(*docs)
    assert len(runs) < everywhere / 4
    assert [q.change.difference not in (None, "0") for q in diff.quantities if q.address == "t"] == [True]
