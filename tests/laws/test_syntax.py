"""Laws of parsing and formatting, on any text, on token soup and on plans with a few characters changed."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from capwright.base.source import Source
from capwright.syntax import treecodec
from capwright.syntax.format import format_source
from capwright.syntax.parse import _statements, parse
from capwright.syntax.split import split
from tests.support.spelling import expression_text
from tests.support.trees import nodes, placeless, plan_files, spans
from tests.support.wholes import accepted

LAW = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))

WORDS = [
    *"use entity unit kind formula view assume measure evidence require expect option report moved check".split(),
    *"over each excludes caveat discharges because review from label in for where is as of to and or not if".split(),
    *"then else default whole static one list count largest a b c x.y f( ( ) [ ] { } , ; : . = == <= ~ + - *".split(),
    *'/ ^ .. 1 2_0 3.5 16\u00a0B 4k 2027-03 "s" "a\\"b" # \n \n\n @ ? “ \\ \t'.split(" "),
    " ", " ", " ", "\n", "\n", "16 tokens/block", "2.20 $/GPU-hour", "35%", "}", "{",
]  # fmt: skip
soup = st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)
plans = st.sampled_from([path.read_text(encoding="utf-8") for path in plan_files()])


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A stretch of a plan of the project, with a few edits."""
    text = draw(plans)
    lines = text.splitlines()
    first = draw(st.integers(0, max(0, len(lines) - 1)))
    text = "\n".join(lines[first : first + draw(st.integers(1, 30))])
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        removed = draw(st.integers(0, 3))
        text = text[:at] + draw(st.sampled_from(["", *WORDS])) + text[at + removed :]
    return text


texts = st.one_of(st.text(max_size=200), soup, mutated())


@LAW
@given(texts)
def test_parsing_never_raises_and_places_lie_in_the_file(text):
    module, problems = parse(Source("t.plan", text))
    for span in [*spans(module.statements), *[problem.span for problem in problems]]:
        assert 0 <= span.start <= span.end <= len(text)
    for problem in problems:
        assert problem.message
        assert problem.help
        assert not {"\x00", "\x1b", "\u202e"} & set(problem.message + problem.help)


@LAW
@given(texts)
def test_places_cover_what_they_name(text):
    module, _ = parse(Source("t.plan", text))
    for node in nodes(module.statements):
        if hasattr(node, "name_span"):
            assert text[node.name_span.start : node.name_span.end] == node.name
        if hasattr(node, "text") and hasattr(node, "unit"):
            assert text[node.span.start : node.span.end] == node.text


@LAW
@given(texts)
def test_formatting_is_idempotent_and_keeps_meaning(text):
    made, problems = format_source(Source("t.plan", text))
    if problems:
        assert made == text
        return
    again, problems = format_source(Source("t.plan", made))
    assert problems == ()
    assert again == made
    assert placeless(parse(Source("t.plan", made))[0]) == placeless(parse(Source("t.plan", text))[0])
    assert "".join(made.split()).count("#") == "".join(text.split()).count("#")


@LAW
@given(texts)
def test_our_walk_reads_what_lark_reads(text):
    """Lark's own lexer and parser accept a text exactly when we find nothing wrong with its syntax."""
    _, problems = parse(Source("t.plan", text))
    beyond = {"CW0108", "CW0109", "CW0111", "CW0112", "CW0113", "CW0114"}
    refused = {"CW0101", "CW0102", "CW0103", "CW0104", "CW0107"}
    # A bracket that closes nothing is no mistake of its own where another was forgotten.
    assume(not any(one.code in refused for one in (*problems, *split(Source("t.plan", text))[1])))
    assert accepted(text.removeprefix("\ufeff")) == all(problem.code in beyond for problem in problems)


@LAW
@given(mutated())
def test_what_is_remembered_is_what_would_be_parsed(text):
    warm = parse(Source("t.plan", text))
    shifted = parse(Source("t.plan", f"# above\n{text}"))
    _statements.clear()
    assert parse(Source("t.plan", text)) == warm
    _statements.clear()
    assert parse(Source("t.plan", f"# above\n{text}")) == shifted


@LAW
@given(texts)
def test_trees_survive_saving(text):
    module, _ = parse(Source("t.plan", text))
    assert treecodec.load(treecodec.dump(module, text), "t.plan", text) == module


names = st.sampled_from(["a", "b.c", "g.kv", "count", "each", "prod@tp8"])
leaves = st.one_of(names, st.sampled_from(["1", "2.5 GiB", "16 tokens/block", "35%", '"words"', "128k"]))
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "<=", "==", "and", "or"]), inner).map(
            lambda parts: "({}) {} ({})".format(*parts)
        ),
        inner.map(lambda e: f"-({e})"),
        inner.map(lambda e: f"not ({e})"),
        inner.map(lambda e: f"({e})^2"),
        inner.map(lambda e: f"(({e}) in kv_unit)"),
        inner.map(lambda e: f"({e}) is not full"),
        inner.map(lambda e: f"(({e}) as pool)"),
        st.lists(inner, max_size=3).map(lambda es: f"max({', '.join(es)})"),
        st.tuples(inner, inner, inner).map(lambda es: "if {} then {} else {}".format(*es)).map("({})".format),
        st.tuples(inner, inner, inner).map(lambda es: "sum({} for g in {} where {})".format(*es)),
        inner.map(lambda e: f"ceil({e}, to (2 * ({e})))"),
    ),
    max_leaves=12,
)


@LAW
@given(expressions)
def test_printing_an_expression_parses_back(text):
    module, problems = parse(Source("t.plan", f"x = {text}"))
    assert problems == ()
    tree = module.statements[0].value
    printed = expression_text(tree)
    again, problems = parse(Source("t.plan", f"x = {printed}"))
    assert problems == ()
    assert placeless(again.statements[0].value) == placeless(tree)
    assert expression_text(again.statements[0].value) == printed
