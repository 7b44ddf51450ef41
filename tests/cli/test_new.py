"""`new`: a starter plan compiles, marks its guesses, and is refused where it would not hold together."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from capwright.cli import main
from capwright.importers.starter import MARK
from tests.cli.running import run
from tests.support.programs import things

CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 1_024, "vocab_size": 1_000,
    "intermediate_size": 4_096, "num_hidden_layers": 10, "num_attention_heads": 16, "num_key_value_heads": 4,
    "max_position_embeddings": 8_192, "torch_dtype": "bfloat16",
}  # fmt: skip


@pytest.fixture
def config(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    folder.mkdir()
    path = folder / "small.config.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    return path


EXPERTS = {
    **CONFIG, "architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "num_experts": 16, "num_experts_per_tok": 2,
    "moe_intermediate_size": 512, "head_dim": 128, "norm_topk_prob": True, "decoder_sparse_step": 1, "mlp_only_layers": [],
    "quantization_config": {
        "quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": [128, 128]
    },
}  # fmt: skip
"""Experts of four blocks of weights: eight devices would get halves of them."""
PICKED = {
    "architectures": ["DeepseekV32ForCausalLM"], "model_type": "deepseek_v32", "torch_dtype": "bfloat16",
    "hidden_size": 1_024, "vocab_size": 1_000, "num_hidden_layers": 4, "num_attention_heads": 16, "num_key_value_heads": 16,
    "intermediate_size": 2_048, "max_position_embeddings": 8_192, "q_lora_rank": 256, "kv_lora_rank": 512,
    "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128, "index_n_heads": 16, "index_head_dim": 128,
    "index_topk": 2_048, "n_routed_experts": 16, "n_shared_experts": 1, "num_experts_per_tok": 2,
    "moe_intermediate_size": 512, "first_k_dense_replace": 1, "moe_layer_freq": 1, "tie_word_embeddings": False,
}  # fmt: skip
"""Latents whose keys an indexer picks."""


@pytest.mark.parametrize(("count", "marks"), [(1, 7), (4, 7), (8, 7), (16, 8)])
def test_a_starter_plan_checks_clean(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], count: int, marks: int
) -> None:
    plan = tmp_path / "fleet.plan"
    assert main(["new", str(config), "--device", "h100_sxm", "--count", str(count), "-o", str(plan)]) == 0
    text = plan.read_text(encoding="utf-8")
    assert text.count(MARK) == marks
    assert 'config("models/small.config.json")' in text
    assert main(["check", str(plan)]) == 0
    assert main(["fmt", "--check", str(plan)]) == 0
    assert "1 holds" in capsys.readouterr().out


def test_without_a_file_it_is_printed(
    config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(config.parent)
    assert main(["new", config.name, "--device", "nvidia.l40s", "--name", "tiny"]) == 0
    assert "model tiny from config(" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("said", "written"),
    [("model", "my_model"), ("prod", "my_prod"), ("spread", "my_spread"), ("decode", "my_decode"), ("byte", "my_byte"),
     ("vllm", "my_vllm"), ("require", "my_require"), ("MS", "my_ms"), ("my-model", "my_model"), ("3x", "m_3x"), ("true", "my_true"), ("tiny", "tiny")],
)  # fmt: skip
def test_a_name_is_made_one_that_the_plan_may_use(
    config: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    said: str,
    written: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / said
    folder.mkdir()
    named = config.rename(folder / "config.json")
    for name in ([], ["--name", said]):
        assert main(["new", str(named), "--device", "h100_sxm", *name]) == 0
        assert f"model {written} from config(" in capsys.readouterr().out
        assert main(["import", str(named), *name]) == 0
        assert f"model {written} {{" in capsys.readouterr().out


def test_a_config_outside_of_the_root_is_refused_before_there_is_a_plan(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plans" / "fleet.plan"
    plan.parent.mkdir()
    assert main(["new", str(config), "--device", "h100_sxm", "-o", str(plan)]) == 2
    told = capsys.readouterr().err
    assert "[CW0151]" in told
    assert f"whose root is `{plan.parent}`" in told
    assert "fleet.plan:" not in told
    (tmp_path / "capwright.toml").write_text("", encoding="utf-8")
    assert main(["new", str(config), "--device", "h100_sxm", "-o", str(plan)]) == 0


def test_a_mistake_in_a_config_is_told_at_the_path_that_was_typed(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    config.write_text(json.dumps({**CONFIG, "hidden_size": "x"}), encoding="utf-8")
    assert main(["import", "models/small.config.json"]) == 1
    assert "--> models/small.config.json:1:" in capsys.readouterr().err


@pytest.mark.parametrize(("count", "copies"), [(3, (1, 3)), (6, (2, 3))])
def test_heads_that_do_not_divide_lead_to_the_counts_and_the_sharding_that_do(
    config: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    count: int,
    copies: tuple[int, int] | None,
) -> None:
    plan = tmp_path / "fleet.plan"
    assert main(["new", str(config), "--device", "h100_sxm", "--count", str(count), "-o", str(plan)]) == 2
    told = capsys.readouterr().err
    assert f"[CW0696] no one copy of this model holds together with `--count {count}`: " in told
    assert "take `--count` 1, 2, 4 or 8, or a multiple of 8;" in told
    assert len(told.splitlines()) == 2
    assert not plan.exists()
    assert main(["new", str(config), "--device", "h100_sxm", "-o", str(plan)]) == 0
    held = re.search(r"`(sharding spread \{.*?\})`, which does", told)
    assert held is not None
    assert f"tensor = {copies[0]} device" in held[1]
    assert f"replicas = {copies[1]} replica" in held[1]
    text = re.sub(r"sharding spread \{.*?\}", held[1], plan.read_text(encoding="utf-8"))
    plan.write_text(text, encoding="utf-8")
    assert main(["check", str(plan)]) == 0


@pytest.mark.parametrize(
    ("changed", "count", "sharding", "mistakes"),
    [
        ({}, 4, "tensor = 4 devices; replicas = 1 replica", 0),
        ({}, 8, "tensor = 8 devices; expert_parallel = true; replicas = 1 replica", 1),
        ({}, 16, "tensor = 8 devices; expert_parallel = true; replicas = 2 replicas", 1),
        ({"num_attention_heads": 12}, 8, "tensor = 4 devices; data = 2; expert_parallel = true; replicas = 1 replica", 2),
        ({"num_attention_heads": 7, "num_key_value_heads": 7}, 8, "tensor = 1 device; data = 8; expert_parallel = true; replicas = 1 replica", 4),
    ],
)  # fmt: skip
def test_experts_are_kept_whole_and_attention_in_parts_where_no_plainer_way_holds(
    config: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    changed: dict[str, int],
    count: int,
    sharding: str,
    mistakes: int,
) -> None:
    plan = tmp_path / "fleet.plan"
    config.write_text(json.dumps(EXPERTS | changed), encoding="utf-8")
    assert main(["new", str(config), "--device", "h200_sxm", "--count", str(count), "-o", str(plan)]) == 0
    text = plan.read_text(encoding="utf-8")
    assert f"sharding spread {{ {sharding} }}\n" in text
    comment = " ".join(text.partition("sharding spread")[0].replace("\n#", "").split())
    assert comment.count("`tensor = ") == mistakes
    assert ("Tried before and not taken" in comment) is (mistakes > 0)
    assert main(["check", str(plan)]) == 0
    assert main(["fmt", "--check", str(plan)]) == 0


def test_a_refusal_of_a_model_with_experts_tells_every_way_that_was_tried(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "fleet.plan"
    config.write_text(json.dumps(EXPERTS | {"num_experts": 4}), encoding="utf-8")
    assert main(["new", str(config), "--device", "h200_sxm", "--count", "8", "-o", str(plan)]) == 2
    told = capsys.readouterr().err
    assert "would get parts of blocks" in told
    assert "fewer than there are devices" in told
    assert "take `--count` 1, 2, 3 or 4; or" in told
    assert "`sharding spread { tensor = 4 devices; replicas = 2 replicas }`, which does" in told


@pytest.mark.parametrize("device", ["h200_sxm", "mi300x"])
def test_latents_whose_keys_are_picked_get_the_blocks_that_the_engine_takes_itself(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], device: str
) -> None:
    plan = tmp_path / "fleet.plan"
    config.write_text(json.dumps(PICKED), encoding="utf-8")
    assert main(["new", str(config), "--device", device, "--count", "8", "-o", str(plan)]) == 0
    text = plan.read_text(encoding="utf-8")
    assert "  cache = bf16_paged\n" in text
    assert main(["check", str(plan)]) == 0
    assert main(["fmt", "--check", str(plan)]) == 0


ASKED = {"quant_method": "modelopt", "quant_algo": "FP8", "ignore": ["lm_head"]}
SCHEME = {"type": "float", "num_bits": 8, "dynamic": False}


@pytest.mark.parametrize(
    ("model", "device", "scheme", "cache"),
    [
        (CONFIG, "h100_sxm", SCHEME, "fp8_paged"),
        (CONFIG, "h100_sxm", None, "bf16_paged"),
        (CONFIG, "b200_sxm", {**SCHEME, "num_bits": 4}, "vllm.nvfp4_paged"),
        (CONFIG, "h100_sxm", {**SCHEME, "num_bits": 4}, "bf16_paged"),
        (CONFIG, "h100_sxm", {**SCHEME, "type": "int"}, "bf16_paged"),
        (PICKED, "h200_sxm", SCHEME, "fp8_ds_mla"),
        (PICKED, "b200_sxm", SCHEME, "fp8_paged"),
    ],
)
def test_a_cache_that_the_checkpoint_asks_for_is_the_one_that_is_planned(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], model, device, scheme, cache
) -> None:
    plan = tmp_path / "fleet.plan"
    asked = {**ASKED, "kv_cache_scheme": scheme}
    config.write_text(json.dumps({**model, "quantization_config": asked}), encoding="utf-8")
    assert main(["new", str(config), "--device", device, "-o", str(plan)]) == 0
    text = plan.read_text(encoding="utf-8")
    assert f"  cache = {cache}\n" in text
    said = " ".join(text.replace("\n#", "").split())
    assert ("in the narrow format that the checkpoint asks for" in said) == (cache != "bf16_paged")
    if cache == "bf16_paged" and "Tried before" in text:
        return  # No kernel of the device takes what the checkpoint asks for: the engine refuses to start, and the plan says so.
    # It is what the engine of the plan keeps by itself, as the library has it.
    own = "caching_dtype(prod.model, prod.engine).bytes == prod.cache.element.bytes"
    plan.write_text(f'{text}require {own}  "its own"\n', encoding="utf-8")
    assert main(["check", str(plan)]) == 0
    assert main(["fmt", "--check", str(plan)]) == 0


def test_what_a_verdict_rests_on_is_marked(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "fleet.plan"
    assert main(["new", str(config), "--device", "t4", "-o", str(plan)]) == 0
    marked = [part.partition(": ")[0] for part in plan.read_text(encoding="utf-8").split(f"{MARK} ")]
    assert main(["check", "--format", "json", str(plan)]) == 0
    verdict = json.loads(capsys.readouterr().out.partition("\n")[2])["plans"][0]["verdicts"][0]
    assert {"spend_read_elsewhere", "no_bf16"} <= set(verdict["caveats"])
    assert set(verdict["caveats"]) - {"not_a_fit_guarantee"} <= set(marked)
    for address in verdict["leans_on"]:
        assert f"`{address}`" in plan.read_text(encoding="utf-8")


def test_a_plan_that_does_not_hold_so_far_says_so_as_it_is_written(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "fleet.plan"
    words = ["new", str(config), "--device", "t4", "-o", str(plan)]
    assert main(words) == 0
    assert "so far" not in capsys.readouterr().out
    config.write_text(json.dumps(CONFIG | {"num_hidden_layers": 1_000}), encoding="utf-8")
    assert main([*words, "--force"]) == 0
    assert f"so far it is violated: `capwright check {plan}` says why" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("device", "count", "code"),
    [("h1000", "1", "CW0695"), ("h100_sxm", "12", "CW0696"), ("h100_sxm", "0", "CW0696")],
)
def test_what_makes_no_plan_is_refused(
    config: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    device: str,
    count: str,
    code: str,
) -> None:
    monkeypatch.chdir(config.parent)
    assert main(["new", config.name, "--device", device, "--count", count]) == 2
    told = capsys.readouterr().err
    assert code in told
    if count == "12":
        assert "take `--count` 1, 2, 4 or 8, or a multiple of 8; or" in told
        assert "`sharding spread { tensor = 4 devices; replicas = 3 replicas }`, which does" in told


def test_every_device_of_the_library_is_named(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", str(config), "--device", "zzz"]) == 2
    told = capsys.readouterr().err
    assert [device for device in things("device") if f"`{device}`" not in told] == []


@pytest.mark.parametrize(
    ("text", "code"), [("{}", "CW0620"), ("{", "CW0612"), ("[1]", "CW0619"), ('{"a": NaN}', "CW0615")]
)
def test_a_config_that_is_refused_is_a_finding_that_import_and_new_tell_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, code: str
) -> None:
    path = tmp_path / "config.json"
    path.write_text(text, encoding="utf-8")
    told = []
    for words in (["import", str(path)], ["new", str(path), "--device", "h100_sxm"]):
        assert main(words) == 1
        told.append(capsys.readouterr())
    assert told[0] == told[1]
    assert (told[0].out, f"[{code}]" in told[0].err) == ("", True), told[0].err


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    (tmp_path / "capwright.toml").write_text(
        '[catalogues]\nfleet = "private/fleet.plan"\ngone = "private/gone.plan"\n', encoding="utf-8"
    )
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "fleet.plan").write_text(
        "use std\n"
        "device ours from nvidia.h100_sxm { price : $/device/hour = 1.87 $/GPU-hour confidential }\n"
        "device b201 {\n"
        "  memory = 180 GB/device; bandwidth = 7_700 GB/s/device; peak = 2_250 TFLOP/s/device\n"
        "}\n",
        encoding="utf-8",
    )
    return tmp_path


@pytest.mark.parametrize("device", ["fleet.ours", "fleet.b201", "b201"])
def test_a_device_of_a_private_catalogue(
    config: Path, fleet: Path, capsys: pytest.CaptureFixture[str], device: str
) -> None:
    plan = fleet / "start.plan"
    assert main(["new", str(config), "--device", device, "-o", str(plan)]) == 0
    assert "use std\nuse fleet\n\nmodel" in plan.read_text(encoding="utf-8")
    assert main(["check", str(plan)]) == 0
    assert main(["fmt", "--check", str(plan)]) == 0


@pytest.mark.parametrize(
    ("word", "offered"),
    [
        ("h100", "`nvidia.h100_sxm` or `nvidia.h100_pcie`"),
        ("H100_SXM", "`nvidia.h100_sxm`"),
        ("nvidia.h200", "`nvidia.h200_sxm`"),
    ],
)
def test_a_device_whose_name_begins_so_is_offered(
    config: Path, capsys: pytest.CaptureFixture[str], word: str, offered: str
) -> None:
    assert main(["new", str(config), "--device", word]) == 2
    assert f"did you mean {offered}?" in capsys.readouterr().err


def test_the_private_catalogues_are_named_where_a_device_is_in_none(
    config: Path, fleet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", str(config), "--device", "fleet.b202", "-o", str(fleet / "start.plan")]) == 2
    told = capsys.readouterr().err
    assert "CW0695" in told
    assert "`fleet.b201`" in told


def test_a_config_is_read_with_further_files(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "modelopt.json").write_text(
        '{"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8", "exclude_modules": ["lm_head"]}}',
        encoding="utf-8",
    )
    (tmp_path / "mine.toml").write_text(
        'title = "Mine"\ncode = "mine.py"\nextends = ["decoder", "grouped", "gated"]\n', encoding="utf-8"
    )
    plan = tmp_path / "start.plan"
    words = ["new", str(config), "--device", "h100_sxm", "-o", str(plan)]
    files = ["--architecture", str(tmp_path / "mine.toml"), "--quantisation", str(tmp_path / "modelopt.json")]
    assert main([*words, *files, "--name", "tiny"]) == 0
    call = 'config("models/small.config.json", architecture: "mine.toml", quantisation: "modelopt.json")'
    assert f"model tiny from {call}\n" in plan.read_text(encoding="utf-8")
    assert main(["check", str(plan)]) == 0


def test_a_plan_that_was_gone_on_from_is_replaced_only_where_that_is_asked_for(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan, model = tmp_path / "fleet.plan", tmp_path / "model.plan"
    new = ["new", str(config), "--device", "h100_sxm", "-o", str(plan)]
    taken = ["import", str(config), "-o", str(model)]
    for words, written in ((new, plan), (taken, model)):
        assert main(words) == 0
        first = written.read_text(encoding="utf-8")
        assert main(words) == 0  # it says the same
        written.write_text("# mine\n", encoding="utf-8")
        capsys.readouterr()
        assert main(words) == 2
        assert "CW0708" in capsys.readouterr().err
        assert written.read_text(encoding="utf-8") == "# mine\n"
        assert main([*words, "--force"]) == 0
        assert written.read_text(encoding="utf-8") == first


def test_devices_are_told_in_the_order_of_their_names(tmp_path):
    told = " ".join(run("new", "--help", cwd=tmp_path).out.split())
    names = told.partition("a device of the library: ")[2].partition(";")[0].split(", ")
    assert len(names) > 10
    assert names.index("nvidia.l4") < names.index("nvidia.l40s")
    order = ["nvidia.a10", "nvidia.a100_pcie_80gb", "nvidia.h20", "nvidia.h100_pcie", "nvidia.h200_sxm"]
    assert [name for name in names if name in order] == order


@pytest.mark.parametrize(("file", "name"), [("config.json", "some_model"), ("big.json", "big")])
@pytest.mark.parametrize("command", ["new", "import"])
def test_a_model_is_named_after_what_help_says(tmp_path, command, file, name):
    folder = tmp_path / "Some-Model"
    folder.mkdir()
    (folder / file).write_text(json.dumps(CONFIG), encoding="utf-8")
    words = ["--device", "h100_sxm"] if command == "new" else []
    ended = run(command, f"Some-Model/{file}", *words, cwd=tmp_path)
    assert re.search(rf"(?m)^model {name} ", ended.out), ended.out + ended.err
    told = " ".join(run(command, "--help", cwd=tmp_path).out.split())
    assert "after the file, or after its folder where the file is config.json or model.safetensors" in told


@pytest.mark.parametrize(
    "words", [["config.json", "-o", "loop"], ["config.json", "-o", "loop/a.plan"], ["loop"]]
)
def test_a_link_that_leads_back_to_itself_is_refused(tmp_path, words):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    (tmp_path / "capwright.toml").touch()
    (tmp_path / "loop").symlink_to("loop")
    ended = run("new", *words, "--device", "h100_sxm", cwd=tmp_path)
    assert ended.code == 2
    assert re.search("CW0155|CW0701", ended.err), ended.err
