"""Expansion where a literate case is too coarse: sharing, budgets, long chains, what is a node and what is not."""

from __future__ import annotations

import cProfile
import gc
import sys

import pytest

from capwright.graph import lacking, toplevel
from capwright.graph.circles import SHOWN_STEPS
from capwright.graph.context import MAX_LIST, MAX_NESTING
from tests.support.pace import within
from tests.support.programs import codes, compiled


def quantity(found, address):
    assert not found.failed, found.diagnostics
    for held in found.document.quantities:
        if address == held.address or address in held.aliases:
            return held
    raise AssertionError(address)


def operations(found) -> list[str]:
    """What the tape does, names and calls left out."""
    tape = found.judged.expansion.ctx.tape
    return [op for op in tape.ops if op not in ("bind", "call", "const")]


# ── equal operations are one node ────────────────────────────────────────────────────────────────


def test_equal_calls_are_one_node() -> None:
    found = compiled("formula f(x: number) : number = x * x + 1\na = f(3)\nb = f(3) + f(3)\nc = f(2 + 1)\n")
    assert operations(found).count("mul") == 3  # for 3, for 2 + 1, and for whoever may call it
    assert quantity(found, "b").low == "20"
    assert quantity(found, "c").low == "10"


def test_an_option_that_changes_one_thing_recomputes_what_leans_on_it() -> None:
    fields = "".join(f"x{n} : number = width + {n}; " for n in range(20))
    plan = f"entity box {{ width : number; depth : number; {fields} area : number = width * depth }}\n"
    plan += "box b { width = 2; depth = 3 }\n"
    base = len(compiled(plan).judged.expansion.ctx.tape)
    options = "".join(f"option o{n} of b {{ depth = {n + 10} }}\n" for n in range(50))
    found = compiled(plan + options)
    # A constant and its name, a product and its name, for each option.
    assert len(found.judged.expansion.ctx.tape) - base == 50 * 4
    assert quantity(found, "b@o7.area").low == "34"
    assert quantity(found, "b@o7.x3").low == "5"


def options_of_a_box(count: int) -> str:
    lines = [
        "entity box { width : number }",
        "box b { width = 1 }",
        "formula twice(n: number) : number = 2 * n",
    ]
    return "\n".join([*lines, *(f"option o{n} of b {{ width = {n + 2} }}" for n in range(count)), ""])


def test_an_option_is_asked_for_what_leans_on_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for every other name and every other requirement of the plan, of which there may be as many as options."""
    looked: list[str] = []

    def counted(ctx, scope, name, original=toplevel.in_world):
        looked.append(name)
        return original(ctx, scope, name)

    monkeypatch.setattr(toplevel, "in_world", counted)
    count = 60
    lines = [f"apart{n} = {n}\nrequire apart{n} >= 0" for n in range(count)]
    lines += ["double = twice(b.width)", "more = double + apart7", "require more <= 10", ""]
    found = compiled(options_of_a_box(count) + "\n".join(lines))
    assert codes(found) == []
    assert quantity(found, "more@b@o3").low == "17"
    assert [a.option for a in found.document.answers if a.verdict is not None] == [
        f"b@o{n}" for n in range(count)
    ]
    assert len(found.document.answers) == count * (count + 1)
    # For each option `double`, `more`, and what these and the requirement name.
    assert len(looked) == count * 6


def test_seventeen_doubling_formulas_are_linear() -> None:
    lines = ["formula f0(x: number) : number = x + 1"]
    lines += [f"formula f{n}(x: number) : number = f{n - 1}(x) + f{n - 1}(x)" for n in range(1, 18)]
    found = compiled("\n".join([*lines, "a = f17(1)", ""]))
    assert quantity(found, "a").low == str(2 * 2**17)
    assert len(found.judged.expansion.ctx.tape) < 500


def test_doubling_by_names_is_linear() -> None:
    lines = ["a0 = 1", *(f"a{n} = a{n - 1} + a{n - 1}" for n in range(1, 200))]
    found = compiled("\n".join([*lines, ""]))
    assert quantity(found, "a199").low == str(2**199)
    assert len(found.judged.expansion.ctx.tape) < 1_000


def test_doubling_formulas_that_an_option_has_no_value_of_are_linear() -> None:
    lines = [
        "entity box { width : number }",
        "box b { width = 2; price : number = 3 }",
        "box c { width = 4 }",
    ]
    lines += ["formula f0(x: box) : number = x.price"]
    lines += [f"formula f{n}(x: box) : number = f{n - 1}(x) + f{n - 1}(x)" for n in range(1, 41)]
    lines += ["entity room { box : box; cost : number = f40(box) }", "room r { box = b }"]
    before = compiled("\n".join([*lines, ""])).judged.expansion.ctx.steps
    found = compiled("\n".join([*lines, "option other of r { box = c }", ""]))
    assert codes(found) == ["CW0243", "CW0204"]  # the second: a box declares no price
    assert before - found.judged.expansion.ctx.steps < 500


def test_what_is_written_for_an_option_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often the option lacks something: here each of many fields, beside as many statements with a dot."""
    count = 60
    looked: list[object] = []

    def counted(option, original=lacking._own_words):
        for span in original(option):
            looked.append(span)
            yield span

    monkeypatch.setattr(lacking, "_own_words", counted)
    lines = [
        "entity box { width : number }",
        "box b { width = 2; price : number = 3 }",
        "box c { width = 4 }",
    ]
    lines += [
        "entity room { box : box; " + "".join(f"cost{n} : number = box.price + {n}; " for n in range(count))
    ]
    lines[-1] += "".join(f"size{n} : number default 1; " for n in range(count)) + "}"
    lines += ["room r { box = b }", "option other of r { box = c }"]
    lines += [f"r@other.size{n} = {n}" for n in range(count)]
    found = compiled("\n".join([*lines, ""]))
    assert codes(found) == ["CW0243"]
    assert count < len(looked) < 3 * count
    own = compiled("\n".join([*lines, "r@other.more : number = r@other.box.price", ""]))
    assert "CW0204" in codes(own)  # what is written for the option itself is a mistake


# ── budgets ──────────────────────────────────────────────────────────────────────────────────────


def refused(text: str, code: str, seconds: float = 2.0) -> None:
    """Refused with one code, within the time that a refusal may take."""
    with within(seconds):
        found = compiled(text)
    assert code in codes(found)
    assert found.failed


@pytest.mark.parametrize(
    ("options", "asked", "calls"),
    [
        (500, "".join(f"require double >= {n}\n" for n in range(500)), 4_200_000),
        (500, "".join(f"more{n} = double * {n}\n" for n in range(500)), 6_500_000),
        (2_000, "".join(f"require {n} >= 0\n" for n in range(2_000)), 2_800_000),
    ],
    ids=["requirements", "names", "answers"],
)
def test_much_that_is_asked_of_many_options_is_refused(options: int, asked: str, calls: int) -> None:
    """Within a number of calls that is a fifth above what it takes: however busy the machine is, and whoever counts lines."""
    profile = cProfile.Profile(builtins=False)
    text = options_of_a_box(options) + "double = twice(b.width)\n" + asked
    found = profile.runcall(compiled, text)
    assert codes(found) == ["CW0403"]
    assert sum(entry.callcount for entry in profile.getstats()) < calls


def test_squarings_are_refused_before_they_are_computed() -> None:
    lines = ["a0 = 3", *(f"a{n} = a{n - 1} * a{n - 1}" for n in range(1, 27))]
    refused("\n".join([*lines, ""]), "CW0422")


def test_a_huge_power_is_refused() -> None:
    refused("a = 10^4_000\nb = a^4_000\n", "CW0422")


@pytest.mark.parametrize("text", ["a = 10^10_000_000_000\n", "a = 1e10000000000\n", "a = 2^1e9\n"])
def test_a_huge_literal_is_refused(text: str) -> None:
    with within(1):
        assert compiled(text).failed


FLEET = """\
use std
model m {
  hidden_size = 4_096; vocabulary = 128_256; max_context = 131_072 tokens; dtype = bf16
  group full : grouped_query { layers = 32 layers; q_heads = 32 q_heads; kv_heads = 8 kv_heads; key_dim = 128 }
  tensor weights { part = feed_forward; parameters = 8_030_261_248 parameters }
}
workload chat { concurrency = 8 requests; class only { input = 8_000 tokens; output = 400 tokens } }
"""


@pytest.mark.parametrize("copied", [False, True])
def test_a_fleet_of_forty_deployments_compiles(copied: bool) -> None:
    """Each is worked out anew, with an engine that admits other lengths: the fortieth costs what the first does."""
    parts = "model = m; cache = fp8_paged; device = nvidia.h100_sxm; workload = chat; "
    fleet = [
        f"deployment p{n} {'from p0 ' if copied and n else ''}{{ {'' if copied and n else parts}"
        f"engine = vllm_0_10_1 {{ max_model_len = {20_000 + 16 * n} tokens }} }}\n"
        f'require p{n}.kv.peak_reserved <= p{n}.kv.pool  "it fits"\n'
        for n in range(40)
    ]
    found = compiled(FLEET + "".join(reversed(fleet)))
    assert codes(found) == []
    assert [one.status for one in found.verdicts] == ["holds"] * 40


def test_lists_inside_lists_run_out_of_budget() -> None:
    refused(
        "a = sum(sum(sum(i * j * k for k in range(900)) for j in range(900)) for i in range(900))\n", "CW0403"
    )


def searched(step: str, times: int) -> str:
    """A search whose condition has a step that its formulas use again and again, each in terms of the one before."""
    lines = ["formula s0(x: number) : number = max(x, 2 * x, 3) / 2"]
    lines += [
        f"formula s{n}(x: number) : number = {step.replace('s', f's{n - 1}(x)')}" for n in range(1, times)
    ]
    return "\n".join([*lines, f"a = largest n in 1 .. 20 where s{times - 1}(n) <= 10_000", ""])


def test_the_condition_of_a_search_is_written_out_only_so_far() -> None:
    refused(searched("min(s, 5 + s / 2, s + 1)", 26), "CW0403")
    assert quantity(compiled(searched("min(s, 5 + s / 2)", 8)), "a").low == "20"


def test_the_condition_of_a_search_is_nested_only_so_deep() -> None:
    refused(searched("max(2, min(s + 1, 50) / 2 + s * 0) ", 60), "CW0403")
    refused(searched("((((s + 1) * 2 + 1) / 3 + 1) / 2 + 1) / 5", 60), "CW0403")
    found = compiled("a = largest n in 1 .. 20 where sum(n * i for i in range(3_000)) <= 100_000_000\n")
    tree = quantity(found, "a").formula
    assert tree is not None
    [terms, _] = tree["condition"]["args"]
    assert (terms["op"], len(terms["args"])) == ("add", 3_000)


def test_a_list_is_short_enough() -> None:
    assert quantity(compiled(f"a = count(i in range({MAX_LIST}))\n"), "a").low == str(MAX_LIST)
    refused(f"a = count(i in range({MAX_LIST + 1}))\n", "CW0407")


def test_formulas_call_each_other_only_so_deep() -> None:
    def chain(length: int) -> str:
        lines = ["formula f0(x: number) : number = x"]
        lines += [f"formula f{n}(x: number) : number = f{n - 1}(x) + 1" for n in range(1, length)]
        return "\n".join([*lines, f"a = f{length - 1}(1)", ""])

    assert quantity(compiled(chain(MAX_NESTING - 1)), "a").low == str(MAX_NESTING - 1)
    refused(chain(MAX_NESTING + 20), "CW0404")


@pytest.mark.parametrize(
    "line", ["box b{0} from b{1} {{ width = {0} }}", "box b{0} = b{1} {{ width = {0} }}"]
)
@pytest.mark.parametrize("length", [200, 2_000])
def test_copies_of_copies_only_so_deep(line: str, length: int) -> None:
    def chain(length: int) -> str:
        lines = ["entity box { width : number }", "box b0 { width = 1 }"]
        return "\n".join([*lines, *(line.format(n, n - 1) for n in range(1, length)), ""])

    assert quantity(compiled(chain(40)), "b39.width").low == "39"
    refused(chain(length), "CW0410")


@pytest.mark.parametrize("length", [70, 500])
def test_options_of_options_only_so_deep(length: int) -> None:
    def chain(length: int) -> str:
        names = ["b", *(f"o{n}" for n in range(length))]
        lines = [
            f"option {name} of {'@'.join(names[: at + 1])} {{ width = {at + 2} }}"
            for at, name in enumerate(names[1:])
        ]
        return "\n".join(["entity box { width : number }", "box b { width = 1 }", *lines, ""])

    assert quantity(compiled(chain(40)), "b@" + "@".join(f"o{n}" for n in range(40)) + ".width").low == "41"
    refused(chain(length), "CW0410")


# ── chains and circles ───────────────────────────────────────────────────────────────────────────


def test_a_chain_of_forward_references() -> None:
    length = 10_000
    lines = [f"a{n} = a{n + 1} + 1" for n in range(length)]
    limit = sys.getrecursionlimit()
    found = compiled("\n".join([*lines, f"a{length} = 0", ""]))
    assert quantity(found, "a0").low == str(length)
    assert sys.getrecursionlimit() == limit
    assert gc.isenabled()


def test_a_chain_through_fields_of_instances() -> None:
    lines = ["entity box { width : number; next : number = width + 1 }"]
    lines += [f"box b{n} {{ width = b{n + 1}.next }}" for n in range(1_500)]
    found = compiled("\n".join([*lines, "box b1500 { width = 0 }", ""]))
    assert quantity(found, "b0.next").low == "1501"


@pytest.mark.parametrize("length", [1, 2, 3, 50, 500])
def test_a_circle_is_one_message_with_its_steps(length: int) -> None:
    lines = [f"a{n} = a{(n + 1) % length} + 1" for n in range(length)]
    found = compiled("\n".join([*lines, "b = a0 * 2", "require b <= 3", ""]))
    assert codes(found) == ["CW0401"]
    [message] = found.diagnostics
    assert len(message.notes) == min(length, SHOWN_STEPS)
    assert all(note.span is not None for note in message.notes)


def test_a_circle_through_an_option_and_a_dotted_statement() -> None:
    found = compiled(
        "entity box { width : number; depth : number }\n"
        "box a { width = 1; depth = a@wide.width + 1 }\n"
        "option wide of a { width = a.extra }\n"
        "a.extra : number = a.depth\n"
    )
    assert codes(found) == ["CW0401"]


def test_two_circles_are_two_messages() -> None:
    found = compiled("a = b\nb = a\nc = d\nd = c\ne = a + c\n")
    assert codes(found) == ["CW0401", "CW0401"]


# ── what is settled before evaluation ────────────────────────────────────────────────────────────


def test_a_branch_that_a_choice_excludes_leaves_no_node() -> None:
    plan = "entity box {{ c : one of x, y; n : number = if c == x then 7 * 8 else 9 - 5 }}\nbox b {{ c = {0} }}\n"
    assert "sub" not in operations(compiled(plan.format("x")))
    assert "mul" not in operations(compiled(plan.format("y")))


def test_a_branch_that_a_static_number_excludes_leaves_no_node() -> None:
    plan = "entity box {{ k : static whole; n : number = if k >= 2 then 7 * 8 else 9 - 5 }}\nbox b {{ k = {0} }}\n"
    assert "sub" not in operations(compiled(plan.format(2)))
    assert "mul" not in operations(compiled(plan.format(1)))


def test_a_uniform_list_becomes_plain_nodes() -> None:
    found = compiled("a = sum(i for i in range(4))\n")
    assert operations(found).count("add") == 3


def test_a_plan_that_is_wrong_keeps_what_is_right() -> None:
    found = compiled("a = 1 + 2\nb = c + 1\nd = a * 2\n")
    assert codes(found) == ["CW0203"]
    assert found.document is None
    assert {q.address for q in found.sound.quantities} == {"a", "d"}


def test_formulas_of_the_library_are_checked_where_asked() -> None:
    found = compiled("use std\na = 1\n", verify_library=True).diagnostics
    assert [f"{one.code} {one.span.file}: {one.message}" for one in found] == []


def test_thousands_of_unknown_names_cost_little() -> None:
    refused("".join(f"a{n} = nothing_{n}\n" for n in range(5_000)), "CW0203")


@pytest.mark.parametrize("copies", [3, 8])
def test_copies_inside_copies_come_to_an_end(copies: int) -> None:
    fields = "; ".join(f"c{n} : box = b {{ width = {n} }}" for n in range(copies))
    refused(f"entity box {{ {fields}; width : number }}\nbox b {{ width = 1 }}\n", "CW0411")


def test_many_wrong_comparisons_over_a_long_chain_do_not_walk_it_for_each() -> None:
    """The first are told with what may be compared instead; once that has cost enough the others are told without."""
    length, candidates, wrong = 4_000, 20, 12
    chain = "\n".join(f"  p{i} : byte = p{i - 1} + {i} bytes" for i in range(1, length))
    near = "\n".join(f"  d{i} : byte kind demand = p{length - 1} + {i} bytes" for i in range(candidates))
    asked = "\n".join(f'require b.live <= b.pool "{i}"' for i in range(wrong))
    found = compiled(f"""
unit byte, bytes
kind pool : byte
kind live : byte
kind demand : byte meets pool
entity box {{
  base : byte kind demand
  p0 : byte = base
{chain}
  live : byte kind live = p{length - 1}
  pool : byte kind pool = p{length - 1}
{near}
}}
box b {{ base = 3 bytes }}
{asked}
""")
    helps = [each.help for each in found.diagnostics if each.code == "CW0332"]
    assert len(helps) == wrong
    assert "use `b.base`" in helps[0]
    assert helps[-1] == "`pool` may be compared with `demand`"
    walked = found.judged.expansion.ctx.walked
    assert walked < 1_200_000
