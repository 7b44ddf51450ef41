"""`import --format json`: the counts of a model, in a frame that other programs read."""

from __future__ import annotations

import json

import pytest

from tests.cli.running import run

CONFIG = {
    "architectures": ["MixtralForCausalLM"],
    "model_type": "mixtral",
    "hidden_size": 64,
    "vocab_size": 100,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
    "max_position_embeddings": 512,
    "torch_dtype": "bfloat16",
}
ATTENTION = 2 * 64 * 64 + 2 * 64 * 32
EXPERT = 3 * 64 * 32


def asked(folder, config=CONFIG, *words: str) -> tuple[int, dict]:
    (folder / "config.json").write_text(json.dumps(config))
    ended = run("import", "config.json", "--name", "m", "--format", "json", *words, cwd=folder)
    assert ended.out, ended.err
    return ended.code, json.loads(ended.out)


def test_the_counts_and_their_parts(tmp_path):
    code, told = asked(tmp_path)
    total = 2 * 100 * 64 + 64 + 2 * (ATTENTION + 8 * EXPERT + 8 * 64 + 2 * 64)
    assert code == 0
    assert told["imported"] is True
    assert told["parameters_total"] == told["parameters_text"] == total
    assert told["parameters_active"] == total - 2 * 6 * EXPERT
    assert told["parameters_vision"] == told["parameters_draft"] == told["buffer_numbers"] == 0
    assert told["parts"]["expert"] == 2 * 8 * EXPERT
    assert sum(told["parts"].values()) == total
    assert told["diagnostics"] == []


def test_the_cache_of_one_sequence(tmp_path):
    _, told = asked(tmp_path, CONFIG, "--tokens", "300", "--cache-dtype", "bf16")
    assert told["cache_bytes"]["total"] == 300 * 2 * 2 * 2 * 16 * 2
    assert [each["layers"] for each in told["cache_bytes"]["groups"]] == [2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--tokens", "9"], "`--tokens` asks for counts"),
        (["--tokens", "9", "-o", "m.plan"], "`--tokens` asks for counts"),
        (["--format", "json", "--engine", "vllm@0.10.1"], "`--engine` is of the cache"),
        (["--cache-dtype", "bf16"], "`--cache-dtype` is of the cache"),
    ],
)
def test_words_that_would_be_passed_over_are_refused(tmp_path, words, said):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    ended = run("import", "config.json", *words, cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "[CW0652]" in ended.err
    assert said in ended.err
    assert "--format json" in ended.err
    assert not (tmp_path / "m.plan").exists()


def test_a_checkpoint_is_asked_nothing_of_a_cache(tmp_path):
    header = json.dumps({"w": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}}).encode()
    (tmp_path / "m.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(12))
    plain = run("import", "m.safetensors", "--format", "json", cwd=tmp_path)
    assert plain.code == 0, plain.err
    ended = run("import", "m.safetensors", "--format", "json", "--tokens", "9", cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "[CW0652]" in ended.err


def test_an_engine_that_is_not_known_is_a_message(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    ended = run("import", "config.json", "--format", "json", "--tokens", "9", "--engine", "vlm", cwd=tmp_path)
    assert ended.code == 2
    assert "CW0652" in ended.err
    assert "vllm" in ended.err


def test_a_refusal_is_json_too(tmp_path):
    code, told = asked(tmp_path, {**CONFIG, "architectures": ["NovelForCausalLM"], "vocab_size": -1})
    assert code == 1
    assert told["imported"] is False
    assert [each["code"] for each in told["diagnostics"]] == ["CW0620"]
    assert "parameters_total" not in told


def test_a_description_of_ones_own(tmp_path):
    (tmp_path / "own.toml").write_text('extends = ["mixtral"]\n[fields]\nnorms_per_layer = "3"\n')
    code, told = asked(
        tmp_path, {**CONFIG, "architectures": ["MineForCausalLM"]}, "--architecture", "own.toml"
    )
    assert code == 0
    assert told["parts"]["norm"] == 2 * 3 * 64 + 64


def test_a_quantisation_file_beside_the_config_is_read(tmp_path):
    settings = {"quantization": {"quant_algo": "FP8", "exclude_modules": ["lm_head"]}}
    (tmp_path / "hf_quant_config.json").write_text(json.dumps(settings))
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    ended = run("import", "config.json", cwd=tmp_path)
    experts = [line for line in ended.out.splitlines() if "tensor experts_down" in line]
    assert len(experts) == 1
    assert "dtype = fp8_e4m3" in experts[0]


def test_what_import_reads_it_does_not_overwrite(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    (tmp_path / "hf_quant_config.json").write_text('{"quantization": {"quant_algo": "FP8"}}')
    for name in ("config.json", "hf_quant_config.json"):
        before = (tmp_path / name).read_text()
        ended = run("import", "config.json", "-o", name, cwd=tmp_path)
        assert ended.code == 2
        assert "CW0701" in ended.err
        assert (tmp_path / name).read_text() == before
