"""What one sequence takes, asked of imported configs: against the caches that the transformers library really makes."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from capwright.importers.cache_question import Question, Refused, question
from capwright.syntax.tree import Instance
from tests.support.programs import library
from tests.unit.library.cases import published
from tests.unit.library.imported import CONFIGS, compiled_text, numbers, plan_text, table, words

ROWS = table("kv_crosscheck.tsv")
LENGTHS = (300, 5_000, 20_000)
NO_TARGET = {"DeepseekV4ForCausalLM": "its cache holds further buffers than keys and values"}


def asked(text: str, tokens: int, dtype: str = "bf16", engine: str | None = None) -> dict:
    found = question(text, tokens, dtype, engine, words())
    assert isinstance(found, Question), found
    return found.answer(numbers(found.text))


@pytest.mark.promise("M1")
@pytest.mark.parametrize("row", published(ROWS, lambda row: row["config"]))
def test_the_transformers_profile_holds_what_the_library_caches(row: dict[str, str]) -> None:
    if row["model_class"] in NO_TARGET:
        pytest.skip(NO_TARGET[row["model_class"]])
    text, refusals = plan_text(row["config"])
    assert text is not None, refusals
    for tokens in LENGTHS:
        got = asked(text, tokens, engine="transformers@5.24")
        assert got["total"] == int(row[f"cache_bytes_{tokens}_tokens_bf16"]), tokens
        assert got["total"] == got["attention"] + got["state"] == sum(each["bytes"] for each in got["groups"])


MODEL = """\
use std
model m {
  hidden_size = 1_024; vocabulary = 1_000; max_context = 1_000_000 tokens; dtype = bf16
  group full : grouped_query { layers = 4 layers; stored_layers = 3 layers; q_heads = 8 q_heads; kv_heads = 2 kv_heads; key_dim = 64; value_dim = 32 }
  group local : sliding { layers = 6 layers; q_heads = 8 q_heads; kv_heads = 4 kv_heads; key_dim = 64; window = 128 tokens }
  group mixer : recurrent { layers = 5 layers; conv_taps = 3; conv_channels = 256; state_heads = 4 state_heads; state_rows = 16; state_columns = 8; state_dtype = fp32 }
  group feed : attention_free { layers = 2 layers }
}
"""
FULL = 3 * 2 * (64 + 32) * 2
LOCAL = 6 * 4 * (64 + 64) * 2
MATRIX = 5 * 4 * 16 * 8 * 4


@pytest.mark.promise("M3")
def test_without_an_engine_a_window_keeps_what_it_sees() -> None:
    got = asked(MODEL, 1_000)
    assert got["attention"] == FULL * 1_000 + LOCAL * 128
    assert got["state"] == 5 * 3 * 256 * 2 + MATRIX
    assert [each["bytes"] for each in got["groups"]] == [FULL * 1_000, LOCAL * 128, got["state"], 0]
    assert [each["stored_layers"] for each in got["groups"]] == [3, 6, 5, 2]


@pytest.mark.promise("M4")
def test_transformers_keep_one_token_less_behind_a_window_and_the_whole_kernel() -> None:
    got = asked(MODEL, 1_000, engine="transformers")
    assert got["attention"] == FULL * 1_000 + LOCAL * 127
    assert got["state"] == 5 * 4 * 256 * 2 + MATRIX
    assert asked(MODEL, 100, engine="transformers")["attention"] == (FULL + LOCAL) * 100


@pytest.mark.promise("M2")
def test_latents_are_cached_as_they_are() -> None:
    latent = MODEL.split("  group", maxsplit=1)[0] + (
        "  group latent : latent { layers = 61 layers; q_heads = 128 q_heads; latent_rank = 512; rotary_dim = 64; key_dim = 192; value_dim = 128 }\n}\n"
    )
    assert asked(latent, 1)["total"] == 70_272
    assert asked(latent, 1, engine="transformers")["total"] == 70_272
    indexed = latent.replace(
        ": latent {", ": indexed_latent { index_heads = 64; index_dim = 128; selected = 2_048 tokens;"
    )
    assert asked(indexed, 1, engine="transformers")["total"] == 61 * (576 + 128) * 2
    assert asked(latent, 1, "fp8_ds_mla")["total"] == 61 * 656


@pytest.mark.promise("M5")
@pytest.mark.parametrize(
    ("dtype", "of_32"), [("q8_0", 34), ("q5_1", 24), ("q5_0", 22), ("q4_1", 20), ("q4_0", 18), ("fp8", 32)]
)
def test_layouts_of_quantised_caches(dtype: str, of_32: int) -> None:
    got = asked(MODEL, 1_000, dtype)
    assert got["attention"] == 1_000 * 3 * 2 * 3 * of_32 + 128 * 6 * 4 * 4 * of_32


def test_whatever_the_library_declares_may_be_asked_for() -> None:
    declared = words()
    for element, bytes_each in (
        ("e5m2", 1),
        ("half", 2),
        ("double", 8),
        ("int4", Fraction(1, 2)),
        ("f32", 4),
    ):
        assert asked(MODEL, 1_000, element)["attention"] == (FULL * 1_000 + LOCAL * 128) * bytes_each / 2
    for layout in (
        "nvfp4_paged",
        "fp8_per_token_head",
        "vllm.int8_per_token_head",
        "fp8_paged",
        "ggml.q8_0",
        "q8_0",
    ):
        assert isinstance(question(MODEL, 1_000, layout, None, declared), Question)
    scope = library()
    spaces = [("", scope), *((f"{name}.", space) for name, space in scope.spaces.items())]
    things = {
        (one.statement.type_name, before + name)
        for before, space in spaces
        for name, one in space.values.items()
        if isinstance(one.statement, Instance) and name not in space.homes
    }
    assert {name for sort, name in things if sort == "dtype"} == set(declared.elements.values())
    assert {name for sort, name in things if sort == "cache"} == set(declared.layouts.values())
    profiles = {name for versions in declared.engines.values() for name in versions.values()}
    assert {name for sort, name in things if sort == "engine"} == {*profiles, "ideal"}


def test_what_is_no_whole_number_of_bytes_is_told_as_a_fraction() -> None:
    odd = MODEL.replace("key_dim = 64; value_dim = 32", "key_dim = 63; value_dim = 32")
    assert asked(odd, 1, "int4")["groups"][0]["bytes_per_token_per_layer"] == 95
    assert asked(odd.replace("kv_heads = 2", "kv_heads = 1"), 1, "int4")["groups"][0]["bytes"] == "285/2"


OF_32_BITS = [
    path.stem
    for path in sorted(CONFIGS.glob("*.json"))
    if re.search(r'"(torch_)?dtype": *"float32"', path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("config", published(OF_32_BITS, str))
def test_auto_of_32_bits_is_what_vllm_casts_them_to(config: str) -> None:
    """Its `--dtype auto` is 16 bits for them (`_resolve_auto_dtype` of vllm/config), and its cache is of what it computes in."""
    text, refusals = plan_text(config)
    assert text is not None, refusals
    for engine in ("vllm@0.10.1", "vllm@0.22.1"):
        assert asked(text, 4_096, "auto", engine)["total"] == asked(text, 4_096, engine=engine)["total"] > 0


def test_auto_is_the_models_own_number_format() -> None:
    assert asked(MODEL, 1_000, "auto")["total"] == asked(MODEL, 1_000, "bf16")["total"]
    wide = MODEL.replace("dtype = bf16", "dtype = fp32")
    assert (
        asked(wide, 1_000, "auto")["attention"]
        == asked(wide, 1_000, "fp32")["attention"]
        == 2 * asked(wide, 1_000)["attention"]
    )


@pytest.mark.promise("M6")
def test_vllm_holds_whole_pages() -> None:
    full_only = MODEL.replace("  group local", "  # group local").replace("  group mixer", "  # group mixer")
    assert asked(full_only, 1_001, engine="vllm@0.10.1")["total"] == FULL * 16 * 63
    assert asked(full_only, 1_001, engine="vllm@0.22")["total"] == FULL * 16 * 63


@pytest.mark.parametrize(
    ("tokens", "dtype", "engine", "said"),
    [
        (0, "bf16", None, "tokens"),
        (10**13, "bf16", None, "tokens"),
        (1, "b16", None, "number format"),
        (1, "bf16", "transformer", "no profile of the engine"),
        (1, "bf16", "vllm", "depends on its version"),
        (1, "bf16", "vllm@0.10", ""),
        (1, "bf16", "vllm@9.9", "at version 9.9"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_way_out(
    tokens: int, dtype: str, engine: str | None, said: str
) -> None:
    found = question(MODEL, tokens, dtype, engine, words())
    if said:
        assert isinstance(found, Refused)
        assert said in found.message
        assert found.help
    else:
        assert isinstance(found, Question)


@pytest.mark.parametrize("engine", ["vllm@0.10.1", "vllm@0.22.1", "transformers"])
def test_an_engine_that_does_not_know_a_layer_says_so(engine: str) -> None:
    pooled = MODEL.replace(
        "group full : grouped_query { layers = 4 layers; stored_layers = 3 layers; q_heads = 8 q_heads; kv_heads = 2 kv_heads; key_dim = 64; value_dim = 32 }",
        "group full : compressed { layers = 4 layers; q_heads = 8 q_heads; key_dim = 64; window = 128 tokens; ratio = 4 }",
    )
    found = question(pooled, 1_000, "bf16", engine, words())
    assert isinstance(found, Question)
    result = compiled_text(found.text)
    said = [each.message for each in result.diagnostics if each.code == "CW0219"]
    assert len(said) == 1
    assert "does not know" in said[0]
    assert asked(pooled, 1_000)["groups"][0]["bytes"] == 4 * (128 + 250) * 64 * 2
