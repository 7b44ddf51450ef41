"""Masks as values: spelling, equality, and what does not compose."""

from __future__ import annotations

import pytest

from capwright.kernel.refusal import KernelRefusal
from capwright.kernel.registry import CONSTRUCTORS, OPERATORS, TYPES
from tests.support.masks import made

CAUSAL = made("causal")
WINDOW = made("window", size=4_096)
SINKS = made("sinks", count=4)
TOP = made("top_k", count=2_048)
AND, OR, NOT = OPERATORS["and"], OPERATORS["or"], OPERATORS["not"]


@pytest.mark.parametrize(
    ("mask", "text"),
    [
        (CAUSAL, "causal"),
        (AND(CAUSAL, OR(WINDOW, SINKS)), "causal and (window(4_096 tokens) or sinks(4 tokens))"),
        (OR(AND(CAUSAL, WINDOW), SINKS), "(causal and window(4_096 tokens)) or sinks(4 tokens)"),
        (AND(AND(CAUSAL, WINDOW), SINKS), "causal and window(4_096 tokens) and sinks(4 tokens)"),
        (NOT(CAUSAL), "not causal"),
        (NOT(AND(CAUSAL, WINDOW)), "not (causal and window(4_096 tokens))"),
        (made("window", size=1, ahead=1), "window(size: 1 token, ahead: 1 token)"),
        (made("documents", lengths=[3, 1]), "documents([3 tokens, 1 token])"),
        (
            made("block_sparse", block=64, local=4, stride=8),
            "block_sparse(block: 64 tokens, local: 4, stride: 8)",
        ),
    ],
)
def test_spelling(mask, text):
    assert mask.text() == text


def test_equal_masks_are_one():
    assert len({AND(CAUSAL, WINDOW), AND(CAUSAL, made("window", size=4_096)), AND(CAUSAL, SINKS)}) == 2
    assert AND(CAUSAL, CAUSAL) == CAUSAL
    assert NOT(NOT(WINDOW)) == WINDOW


@pytest.mark.parametrize(
    "compose",
    [
        lambda: OR(TOP, SINKS),
        lambda: NOT(TOP),
        lambda: NOT(AND(CAUSAL, TOP)),
        lambda: OR(CAUSAL, AND(SINKS, TOP)),
    ],
)
def test_a_learned_choice_stands_under_and_alone(compose):
    with pytest.raises(KernelRefusal) as refusal:
        compose()
    assert refusal.value.code == "CW0604"


def test_two_learned_choices_have_no_count():
    with pytest.raises(KernelRefusal) as refusal:
        AND(TOP, AND(CAUSAL, made("top_k", count=64)))
    assert refusal.value.code == "CW0604"


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("window", {"size": 0}),
        ("window", {"size": 1, "ahead": -1}),
        ("chunked", {"size": -5}),
        ("sinks", {"count": 0}),
        ("documents", {"lengths": [3, 0]}),
        ("block_sparse", {"block": 64, "local": 0, "stride": 8}),
        ("top_k", {"count": True}),
    ],
)
def test_sizes_are_whole_and_positive(name, sizes):
    with pytest.raises(KernelRefusal) as refusal:
        made(name, **sizes)
    assert refusal.value.code == "CW0601"
    assert refusal.value.help


def test_every_constructor_tells_what_it_is():
    for name, constructor in CONSTRUCTORS.items():
        assert constructor.name == name
        assert constructor.result in TYPES
        assert constructor.help
