"""A config as plan text: each field with its key, each default with its code, each mistake with its code."""

from __future__ import annotations

import json

import pytest

from capwright.base.source import Span
from capwright.importers import READERS, import_config
from capwright.importers.config import read_config
from capwright.importers.layer_patterns import pattern

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "vocab_size": 100,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
    "torch_dtype": "bfloat16",
}
QWEN3 = {**LLAMA, "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "head_dim": 16}
MISTRAL = {**LLAMA, "architectures": ["MistralForCausalLM"], "model_type": "mistral"}
QWEN3_VL = {
    "architectures": ["Qwen3VLForConditionalGeneration"],
    "model_type": "qwen3_vl",
    "text_config": {key: value for key, value in QWEN3.items() if key not in {"architectures", "model_type"}},
    "vision_config": {
        "deepstack_visual_indexes": [0],
        "depth": 2,
        "hidden_size": 32,
        "in_channels": 3,
        "intermediate_size": 64,
        "num_heads": 4,
        "num_position_embeddings": 16,
        "out_hidden_size": 64,
        "patch_size": 4,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
    },
}
QWEN2 = {**LLAMA, "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2"}


def lines(config: dict) -> list[str]:
    """The lines of a config's plan text, without their indents."""
    text, found = import_config(config, "config.json", "m")
    assert text is not None, found
    return [line.strip() for line in text.splitlines()]


def line(config: dict, start: str) -> str:
    """The one line that begins so."""
    (found,) = (each for each in lines(config) if each.startswith(start))
    return found


@pytest.mark.parametrize(
    "names",
    [
        ("Gemma3ForConditionalGeneration", "gemma3"),
        ("Llama4ForConditionalGeneration", "llama4"),
        ("Qwen2_5_VLForConditionalGeneration", "qwen2_5_vl"),
        ("LlavaForConditionalGeneration", "llava"),
    ],
    ids=lambda names: names[1],
)
@pytest.mark.parametrize(
    "decoder", [{}, {"text_config": None}, {"text_config": True}, {"text_config": [1]}], ids=str
)
def test_a_missing_decoder_is_one_message(names, decoder):
    architecture, kind = names
    config = {"architectures": [architecture], "model_type": kind, "vision_config": {}, **decoder}
    text, found = read_config(json.dumps(config).encode(), "config.json", "m")
    assert text is None
    (problem,) = (each for each in found if each.severity == "error")
    assert problem.code == "CW0621"
    assert "`text_config`" in problem.message
    assert "`text_config`" in problem.help


def test_each_field_names_its_key():
    assert line(LLAMA, "hidden_size") == 'hidden_size = 64  key "config.json#/hidden_size"'
    assert line(LLAMA, "layers") == 'layers = 2 layers  key "config.json#/num_hidden_layers"'
    assert line(LLAMA, "kv_heads") == 'kv_heads = 2 kv_heads  key "config.json#/num_key_value_heads"'
    assert line(LLAMA, "dtype") == 'dtype = bf16  key "config.json#/torch_dtype"'


def test_each_default_names_its_code():
    assert line(LLAMA, "tied") == (
        'tied_embeddings = false  source "transformers LlamaConfig: tie_word_embeddings is false where it is left out"'
    )
    assert line(LLAMA, "key_dim").startswith(
        'key_dim = 16  source "transformers LlamaConfig: without head_dim'
    )


def test_what_no_config_says_is_of_the_architecture_and_no_key_of_transformers():
    text = "\n".join(lines(LLAMA))
    made = 'source "the architecture of Llama, as transformers implements it: '
    for name, value in (("norm_values", 1), ("norms_per_layer", 2), ("query_gates", 1)):
        assert f'{made}{name} is {value}"' in text
    assert "LlamaConfig: norm" not in text


def test_a_count_of_layers_names_all_that_it_was_counted_from():
    """Of seven layers every sixth looks back over everything: Gemma 3 where its config is silent."""
    config = {
        "architectures": ["Gemma3ForCausalLM"], "model_type": "gemma3_text", "hidden_size": 64,
        "intermediate_size": 128, "num_hidden_layers": 7, "num_attention_heads": 4, "num_key_value_heads": 2,
        "head_dim": 16, "vocab_size": 100, "sliding_window": 32, "torch_dtype": "bfloat16",
    }  # fmt: skip
    where = "config.json#/num_hidden_layers, /sliding_window"
    said = "left out, transformers Gemma3TextConfig has sliding_window_pattern as 6"
    found = [each.strip() for each in lines(config)]
    assert f'layers = 1 layer  key "{where}; {said}"' in found
    assert f'layers = 6 layers  key "{where}; {said}"' in found


def test_an_explicit_head_width_is_taken_and_another_than_the_quotient():
    config = {**LLAMA, "head_dim": 24}
    assert line(config, "key_dim") == 'key_dim = 24  key "config.json#/head_dim"'
    assert (
        line(config, "query_width")
        == 'query_width : whole = query_heads * head_width  "query heads × their width"'
    )


def test_without_kv_heads_each_query_head_has_its_own():
    without = {key: value for key, value in LLAMA.items() if key != "num_key_value_heads"}
    assert line(without, "kv_heads").startswith("kv_heads = 4 kv_heads  source")
    assert line({**MISTRAL, "num_key_value_heads": None}, "kv_heads").startswith(
        "kv_heads = 4 kv_heads  source"
    )


def test_a_left_out_key_is_not_one_that_is_null():
    without = {key: value for key, value in MISTRAL.items() if key != "num_key_value_heads"}
    assert line({**without, "num_attention_heads": 8}, "kv_heads").startswith("kv_heads = 8 kv_heads  source")
    assert "group local : sliding {" in lines(MISTRAL)
    assert "group full : grouped_query {" in lines({**MISTRAL, "sliding_window": None})


def test_a_window_that_is_not_in_use_is_ignored():
    config = {**QWEN2, "sliding_window": 256, "use_sliding_window": False, "max_window_layers": 1}
    assert not any(each.startswith("group local") for each in lines(config))


def test_a_window_in_use_reaches_the_upper_layers():
    config = {**QWEN2, "sliding_window": 256, "use_sliding_window": True, "max_window_layers": 1}
    text, _ = import_config(config, "config.json", "m")
    local = text.partition("group local : sliding {")[2].partition("}")[0].split("\n")
    assert [each.strip() for each in local if each.strip()][:2] == [
        'layers = 1 layer  key "config.json#/num_hidden_layers, /max_window_layers, /sliding_window, /use_sliding_window"',
        "first = 1; run = 1; every = 2",
    ]
    assert any(each.strip() == 'window = 256 tokens  key "config.json#/sliding_window"' for each in local)


def test_layer_types_place_the_windows():
    kinds = ["sliding_attention", "sliding_attention", "full_attention"] * 2
    config = {
        **QWEN3,
        "num_hidden_layers": 6,
        "layer_types": kinds,
        "sliding_window": 256,
        "use_sliding_window": True,
    }
    assert (
        'layers = 4 layers  key "config.json#/num_hidden_layers, /layer_types, /sliding_window, /use_sliding_window"'
        in lines(config)
    )
    assert "first = 0; run = 2; every = 3" in lines(config)
    assert "first = 2; run = 1; every = 3" in lines(config)


@pytest.mark.parametrize(
    ("config", "names"),
    [
        (LLAMA, set()),
        ({**LLAMA, "attention_bias": True}, {"query_bias", "key_value_bias", "attention_output_bias"}),
        ({**LLAMA, "mlp_bias": True}, {"gate_up_bias", "down_bias"}),
        ({**QWEN2, "use_sliding_window": False}, {"query_bias", "key_value_bias"}),
        (QWEN3, {"head_norms"}),
        (MISTRAL, set()),
    ],
)
def test_biases_and_norms_are_those_of_the_architecture(config, names):
    plain = {
        "embedding", "query", "keys", "values", "attention_output", "gate_up", "down", "layer_norms", "final_norm", "head",
    }  # fmt: skip
    assert {each.split()[1] for each in lines(config) if each.startswith("tensor")} == plain | names


def test_a_tied_head_is_marked():
    assert "tied = true" in line({**LLAMA, "tie_word_embeddings": True}, "tensor head")
    assert "tied" not in line(LLAMA, "tensor head")


def changed(**keys: object) -> dict:
    return {**LLAMA, **keys}


@pytest.mark.parametrize(
    ("config", "code", "words"),
    [
        (changed(hidden_size=float("nan")), "CW0615", "/hidden_size"),
        (changed(hidden_size=float("inf")), "CW0615", "/hidden_size"),
        (changed(architectures=["NovelForCausalLM"]), "CW0620", "NovelForCausalLM"),
        (changed(architectures=None, model_type="novel"), "CW0620", "novel"),
        (changed(architectures=None, model_type=None), "CW0620", "no architecture"),
        (changed(vocab_size=None), "CW0621", "vocab_size"),
        (changed(hidden_size="64"), "CW0622", "/hidden_size"),
        (changed(hidden_size=64.0), "CW0622", "/hidden_size"),
        (changed(hidden_size=True), "CW0622", "/hidden_size"),
        (changed(tie_word_embeddings="no"), "CW0622", "/tie_word_embeddings"),
        (changed(architectures="LlamaForCausalLM"), "CW0622", "/architectures"),
        (changed(num_hidden_layers=-2), "CW0623", "/num_hidden_layers"),
        (changed(num_hidden_layers=0), "CW0623", "/num_hidden_layers"),
        (changed(num_hidden_layers=10**9), "CW0623", "/num_hidden_layers"),
        (changed(vocab_size=10**13), "CW0623", "/vocab_size"),
        (changed(num_key_value_heads=3), "CW0624", "4 query heads"),
        (changed(hidden_size=66), "CW0625", "head_dim"),
        (changed(dtype="float16"), "CW0626", "bfloat16"),
        (changed(torch_dtype="bfloat17"), "CW0627", "bfloat17"),
        (changed(model_type="qwen2"), "CW0628", "qwen2"),
        ({**QWEN3, "layer_types": ["full_attention"]}, "CW0629", "1 layers"),
        ({**QWEN3, "layer_types": ["full_attention", "mamba"]}, "CW0622", "/layer_types/1"),
        ({**QWEN3, "layer_types": "full_attention"}, "CW0622", "/layer_types"),
    ],
)
def test_what_is_refused(config, code, words):
    text, found = import_config(config, "config.json", "m")
    assert text is None
    assert [each.code for each in found if each.severity == "error"] == [code]
    assert words in found[0].message
    assert found[0].help


def emptied(config: dict, *path: str) -> dict:
    """The config with `null` at a path."""
    first, *rest = path
    return {**config, first: emptied(config[first], *rest) if rest else None}


@pytest.mark.parametrize(
    "path",
    [
        ("text_config", "intermediate_size"),
        ("text_config", "hidden_size"),
        ("text_config", "num_attention_heads"),
        ("text_config", "vocab_size"),
        ("vision_config", "depth"),
        ("vision_config", "intermediate_size"),
        ("vision_config", "patch_size"),
        ("vision_config", "deepstack_visual_indexes"),
    ],
    ids="/".join,
)
def test_null_is_no_leave_to_take_the_size_of_another_model(path):
    """Where the key is left out, the model code has a size of its own; for `null` it has none."""
    assert import_config(QWEN3_VL, "config.json", "m")[0] is not None
    text, found = import_config(
        emptied(QWEN3_VL, *path), "config.json", "m", lambda where: Span(repr(where), 0, 0)
    )
    assert text is None
    (problem,) = [each for each in found if each.severity == "error"]
    assert (problem.code, problem.span.file) == ("CW0621", repr(path))
    assert problem.message.startswith(f"/{'/'.join(path)} is `null`")
    assert f"`{path[-1]}`" in problem.help or f"`{'.'.join(path)}`" in problem.help


@pytest.mark.parametrize("key", ["num_key_value_heads", "head_dim", "rope_scaling"])
def test_null_means_what_follows_from_the_rest_where_the_model_code_says_so(key):
    config = emptied(changed(**{key: 1}), key)
    assert import_config(config, "config.json", "m")[0] is not None


def test_many_mistakes_are_as_many_messages():
    config = changed(
        hidden_size="x", vocab_size=-1, num_hidden_layers=1.5, torch_dtype="?", intermediate_size=None
    )
    codes = sorted(each.code for each in import_config(config, "config.json", "m")[1])
    assert codes == ["CW0621", "CW0622", "CW0622", "CW0623", "CW0627"]


def test_equal_dtypes_under_both_names_agree():
    assert 'dtype = bf16  key "config.json#/dtype"' in lines(changed(dtype="bfloat16"))


@pytest.mark.parametrize(
    ("config", "code"),
    [
        (changed(quantization_config={"quant_method": "unheard_of"}), "CW0630"),
        (changed(torch_dtype=None), "CW0631"),
    ],
)
def test_what_is_imported_with_a_warning(config, code):
    text, found = import_config(config, "config.json", "m")
    assert text is not None
    assert [(each.code, each.severity) for each in found] == [(code, "warning")]


def test_a_message_stands_at_the_value_in_the_file():
    data = json.dumps(changed(num_key_value_heads=3)).encode()
    text, (found,) = READERS["config"].to_plan_text(data, "config.json", "m")
    assert text is None
    assert data[found.span.start : found.span.end] == b"3"


def test_a_number_that_is_not_finite_is_told_once():
    data = json.dumps(changed(hidden_size=float("nan"), unread=float("inf"))).encode()
    text, found = READERS["config"].to_plan_text(data, "config.json", "m")
    assert text is None
    assert sorted((each.code, each.severity) for each in found) == [
        ("CW0615", "error"),
        ("CW0615", "warning"),
    ]


@pytest.mark.parametrize("data", [b"[]", b"3", b'"x"', b"null"])
def test_a_file_without_keys_is_refused(data):
    text, (found,) = READERS["config"].to_plan_text(data, "config.json", "m")
    assert text is None
    assert found.code == "CW0619"


@pytest.mark.parametrize("path", ['a"b.json', "a\\b.json", "a\nb.json", "\x1b[31m.json", "\u202ea.json"])
def test_a_hostile_path_stays_in_its_string(path):
    text, _ = import_config(LLAMA, path, "m")
    assert all(each.isprintable() for each in text.splitlines())
    assert len(text.splitlines()) == len(import_config(LLAMA, "config.json", "m")[0].splitlines())


@pytest.mark.parametrize("name", ["Llama 3.1/70B", "70b", "", "__", "model } x {", "é\n"])
def test_any_name_becomes_a_name(name):
    text, _ = import_config(LLAMA, "config.json", name)
    word = text.partition("model ")[2].split()[0]
    assert word.isidentifier()
    assert word.isascii()


@pytest.mark.parametrize(
    ("layers", "total", "found"),
    [
        (range(8), 8, (0, 1, 1)),
        ([3, 7, 11], 12, (3, 1, 4)),
        ([0, 1, 2, 4, 5, 6], 8, (0, 3, 4)),
        ([5, 6, 7], 8, (5, 3, 4)),
        ([0, 1, 2], 8, (0, 3, 8)),
        ([0, 1, 3], 8, None),
        ([2], 8, (2, 1, 6)),
    ],
)
def test_patterns_of_layers(layers, total, found):
    assert pattern(list(layers), total) == found


# ── what a config says twice ─────────────────────────────────────────────────────────────────────
OUTER = {
    "architectures": ["Qwen2VLForConditionalGeneration"],
    "model_type": "qwen2_vl",
    "dtype": "bfloat16",
    "text_config": {
        key: value
        for key, value in LLAMA.items()
        if key not in ("architectures", "model_type", "torch_dtype")
    },
    "vision_config": {"depth": 2, "embed_dim": 64, "num_heads": 2, "hidden_size": 64},
}


def inside(**keys: object) -> dict:
    return {**OUTER, "text_config": {**OUTER["text_config"], **keys}}


@pytest.mark.parametrize(
    ("config", "code", "words"),
    [
        (inside(model_type="qwen2_vl_text"), None, ""),
        (inside(model_type="qwen2"), None, ""),
        (inside(model_type="gemma3_text"), "CW0628", "/text_config/model_type says `gemma3_text`"),
        (inside(architectures=["DeepseekV3ForCausalLM"]), "CW0628", "says `DeepseekV3ForCausalLM`"),
        ({**OUTER, "num_hidden_layers": 81}, "CW0632", "/num_hidden_layers is `81`: the first counts"),
        (inside(dtype="float32"), "CW0626", "/dtype says `bfloat16`"),
        (inside(dtype="bfloat16"), None, ""),
        ({**LLAMA, "n_layer": 81}, "CW0632", "/n_layer is `81`: the first counts"),
        ({**LLAMA, "n_embd": LLAMA["hidden_size"]}, None, ""),
    ],
)
def test_what_is_said_twice_must_agree(config, code, words):
    text, found = import_config(config, "config.json", "m")
    assert [each.code for each in found] == ([code] if code else [])
    assert not found or words in found[0].message
    assert (text is None) == (code == "CW0628")


def test_the_outer_number_format_counts():
    text, _ = import_config(inside(dtype="float32"), "config.json", "m")
    assert text is not None
    assert "dtype = fp32" not in text


def test_a_tower_has_no_more_layers_than_a_model():
    config = {**OUTER, "vision_config": {**OUTER["vision_config"], "depth": 10**11}}
    text, found = import_config(config, "config.json", "m")
    assert text is None
    assert [(each.code, "/vision_config/depth" in each.message) for each in found] == [("CW0623", True)]


def test_a_decoder_that_holds_a_decoder_is_told():
    inner = {**OUTER, "architectures": ["LlavaForConditionalGeneration"], "model_type": "llava"}
    config = {**inner, "text_config": inner}
    text, found = import_config(config, "config.json", "m")
    assert text is None
    assert [each.code for each in found if each.severity == "error"] == ["CW0620"]
    assert "a decoder of its own" in found[-1].message
