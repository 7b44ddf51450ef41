"""Headers of checkpoints: what they hold is counted exactly, and what is wrong with them is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capwright.compiling import compile_plan
from capwright.importers.contract import Beside
from capwright.importers.safetensors import read_checkpoint, read_file, read_index, shards_named
from capwright.importers.safetensors_header import BITS, header_bytes, read_header
from capwright.importers.safetensors_names import taken_apart
from capwright.loading import load
from tests.support.pace import within
from tests.unit.library.imported import numbers


def packed(header: object, data: int, *, said: int | None = None) -> tuple[bytes, int]:
    """A file's head and size: a header, and `data` bytes of tensors that are not there in memory."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    length = len(text) if said is None else said
    return length.to_bytes(8, "little") + text, 8 + len(text) + data


def holding(*tensors: tuple[str, str, list[int]]) -> tuple[bytes, int]:
    """A sound file of these tensors, in this order."""
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, dtype, shape in tensors:
        count = 1
        for each in shape:
            count *= each
        size = count * BITS[dtype] // 8
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + size]}
        end += size
    return packed(header, end)


SMALL = (
    ("model.embed_tokens.weight", "BF16", [100, 8]),
    *((f"model.layers.{i}.self_attn.{p}_proj.weight", "BF16", [8, 8]) for i in range(3) for p in "qkvo"),
    *(
        (f"model.layers.{i}.mlp.experts.{e}.up_proj.weight", "F8_E4M3", [16, 8])
        for i in (1, 2)
        for e in range(4)
    ),
    *(
        (f"model.layers.{i}.mlp.experts.{e}.up_proj.weight_scale_inv", "F32", [1, 1])
        for i in (1, 2)
        for e in range(4)
    ),
    *((f"model.layers.{i}.mlp.gate.weight", "BF16", [4, 8]) for i in (1, 2)),
    *((f"model.layers.{i}.mlp.gate.e_score_correction_bias", "F32", [4]) for i in (1, 2)),
    ("model.norm.weight", "BF16", [8]),
    ("lm_head.weight", "BF16", [100, 8]),
    ("visual.blocks.0.attn.qkv.weight", "BF16", [8, 24]),
    ("mtp.fc.weight", "BF16", [8, 16]),
)


@pytest.mark.promise("M8")
def test_bytes_by_part_and_number_format() -> None:
    text, found = read_file(holding(*SMALL), "model.safetensors", "files")
    assert text is not None
    assert not found
    got = numbers(text)
    assert got["files.bytes"] == holding(*SMALL)[1] - len(holding(*SMALL)[0])
    assert got["files.by_part.experts"] == 2 * 4 * (16 * 8 + 4)
    assert got["files.by_part.attention"] == 3 * 4 * 8 * 8 * 2
    assert got["files.by_part.embedding"] == got["files.by_part.head"] == 1_600
    assert got["files.by_part.towers"] == 384
    assert got["files.by_part.draft"] == 256
    assert got["files.by_part.others"] == 2 * (4 * 8 * 2 + 16) + 16
    assert got["files.by_dtype.bytes_fp8_e4m3"] == 8 * 128
    assert got["files.by_dtype.bytes_fp32"] == 8 * 4 + 2 * 16
    parts = sum(
        value for address, value in got.items() if address.startswith("files.by_part.") and "/" not in address
    )
    kinds = sum(
        value
        for address, value in got.items()
        if address.startswith("files.by_dtype.") and "/" not in address
    )
    assert parts == kinds == got["files.bytes"]


NAMES = st.sampled_from(
    [
        "model.layers.{}.mlp.up.weight",
        "model.layers.{}.experts.3.w",
        "a.{}.b",
        "x{}",
        "visual.{}",
        "{}.norm",
        "t\u00e9.{}",
    ]
)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(
            NAMES,
            st.integers(0, 40),
            st.sampled_from(sorted(BITS)),
            st.lists(st.integers(0, 9).map(lambda n: 8 * n), max_size=4),
        ),
        max_size=12,
        unique_by=lambda each: each[0].format(each[1]),
    )
)
def test_any_sound_file_adds_up(rows: list[tuple[str, int, str, list[int]]]) -> None:
    head, size = holding(*((name.format(i), dtype, [8, *shape]) for name, i, dtype, shape in rows))
    tensors, found = read_header(head, size, "f")
    assert not found
    assert tensors is not None
    assert sum(each.size for each in tensors) == size - len(head)
    text, found = read_file((head, size), "f", "files")
    assert text is not None
    got = numbers(text)
    assert got["files.bytes"] == size - len(head)


ONE = {"a": {"dtype": "BF16", "shape": [2, 2], "data_offsets": [0, 8]}}
TWO = {**ONE, "b": {"dtype": "F32", "shape": [], "data_offsets": [8, 12]}}


def changed(**entry: object) -> dict[str, object]:
    return {"a": {**ONE["a"], **entry}}


@pytest.mark.parametrize(
    ("code", "head"),
    [
        ("CW0670", (b"", 0)),
        ("CW0670", (b"\x01\0\0", 3)),
        ("CW0670", packed(ONE, 8, said=10**6)),
        ("CW0670", packed(ONE, 8, said=(1 << 64) - 1)),
        ("CW0671", ((100_000_000).to_bytes(8, "little") + b" " * 100, 200_000_000)),
        ("CW0612", packed(b"", 0)),
        ("CW0612", packed(b'{"a": {"dtype"', 8)),
        ("CW0613", packed(b"PK\x03\x04", 8)),
        ("CW0614", packed(b'{"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}, "a": {}}', 1)),
        ("CW0617", packed(b'{"a": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", 8)),
        ("CW0672", packed([], 0)),
        ("CW0672", packed({"a": 1}, 0)),
        ("CW0672", packed({"a": {"dtype": "U8", "shape": [1]}}, 1)),
        ("CW0672", packed({"__metadata__": {"format": 1}}, 0)),
        ("CW0673", packed(changed(dtype="BF17"), 8)),
        ("CW0673", packed(changed(dtype=7), 8)),
        ("CW0674", packed(changed(shape=[-2, -2]), 8)),
        ("CW0674", packed(changed(shape=[2.5, 2]), 8)),
        ("CW0674", packed(changed(shape="2x2"), 8)),
        ("CW0674", packed(changed(shape=[10**12] * 9), 8)),
        ("CW0674", packed(changed(shape=[True, 4]), 8)),
        ("CW0675", packed(changed(data_offsets=[8, 0]), 8)),
        ("CW0675", packed(changed(data_offsets=[0]), 8)),
        ("CW0675", packed(ONE, 7)),
        ("CW0675", packed(changed(data_offsets=[0, 10**30]), 8)),
        ("CW0676", packed({**ONE, "b": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}}, 12)),
        ("CW0676", packed({**ONE, "b": {"dtype": "F32", "shape": [1], "data_offsets": [12, 16]}}, 16)),
        ("CW0676", packed(ONE, 9)),
        ("CW0677", packed(changed(shape=[2, 3]), 8)),
        ("CW0677", packed(changed(dtype="F4", shape=[3]), 8)),
    ],
)  # fmt: skip
def test_a_broken_header_is_refused(code: str, head: tuple[bytes, int]) -> None:
    text, found = read_file(head, "model.safetensors", "files")
    assert text is None
    assert code in {each.code for each in found}
    assert all(each.help and each.message for each in found)


def test_a_header_is_read_alone() -> None:
    head, _ = packed(TWO, 12)
    assert header_bytes(head[:8]) == len(head)
    assert header_bytes(b"\xff" * 8) < 100_000_000
    assert header_bytes(b"") == 8


def index(places: object, total: object = None) -> bytes:
    return json.dumps(
        {"metadata": {"total_size": total} if total is not None else {}, "weight_map": places}
    ).encode()


SHARDS = {"1.safetensors": packed(ONE, 8), "2.safetensors": holding(("b", "F32", [3]))}
PLACES = {"a": "1.safetensors", "b": "2.safetensors"}


def test_an_index_adds_up_its_shards() -> None:
    data = index(PLACES, 20)
    assert shards_named(data) == ("1.safetensors", "2.safetensors")
    text, found = read_index(data, "model.safetensors.index.json", "files", SHARDS)
    assert not found
    assert text is not None
    assert numbers(text)["files.bytes"] == 20


@pytest.mark.parametrize(
    ("code", "data", "shards"),
    [
        ("CW0612", b'{"weight_map": {', SHARDS),
        ("CW0679", b"[]", SHARDS),
        ("CW0679", index({}), SHARDS),
        ("CW0679", index([1]), SHARDS),
        ("CW0679", index({"a": "../1.safetensors"}), SHARDS),
        ("CW0679", index({"a": 1}), SHARDS),
        ("CW0679", index({f"t{i}": f"{i}.safetensors" for i in range(5_000)}), SHARDS),
        ("CW0680", index({**PLACES, "c": "3.safetensors"}), SHARDS),
        ("CW0681", index({**PLACES, "c": "2.safetensors"}), SHARDS),
        ("CW0681", index({"a": "1.safetensors", "c": "2.safetensors"}), SHARDS),
        ("CW0681", index({"a": "2.safetensors", "b": "1.safetensors"}), SHARDS),
        ("CW0677", index(PLACES), {**SHARDS, "1.safetensors": packed(changed(shape=[9]), 8)}),
        ("CW0614", b'{"weight_map": {"a": "1.safetensors", "a": "2.safetensors"}}', SHARDS),
    ],
)
def test_an_index_that_disagrees_is_refused(
    code: str, data: bytes, shards: dict[str, tuple[bytes, int]]
) -> None:
    text, found = read_index(data, "model.safetensors.index.json", "files", shards)
    assert text is None
    assert code in {each.code for each in found}
    assert all(each.help for each in found)


def test_a_broken_shard_is_told_at_its_path() -> None:
    data = index({"a": "1.safetensors"})
    beside = Beside({"1.safetensors": ("models/1.safetensors", b"\xff" * 100)})
    text, found = read_checkpoint(data, "models/model.safetensors.index.json", "files", beside)
    assert text is None
    assert [(each.code, each.span.file) for each in found] == [("CW0670", "models/1.safetensors")]


def test_a_wrong_total_is_a_warning_and_the_headers_count() -> None:
    text, found = read_index(index(PLACES, 40), "i.json", "files", SHARDS)
    assert [each.code for each in found] == ["CW0682"]
    assert text is not None
    assert numbers(text)["files.bytes"] == 20


@given(st.binary(max_size=200), st.integers(0, 10**6))
def test_any_bytes_give_text_or_messages(data: bytes, more: int) -> None:
    text, found = read_file((data, len(data) + more), "f", "files")
    assert (text is None) == any(each.severity == "error" for each in found)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("model.embed_tokens.weight", "embedding"),
        ("transformer.wte.weight", "embedding"),
        ("lm_head.weight", "head"),
        ("output.weight", "head"),
        ("mlp1.1.weight", "vision"),
        ("talker.model.layers.0.self_attn.q_proj.weight", "audio"),
        ("model.layers.3.self_attn.q_proj.weight", "attention"),
        ("model.layers.3.self_attn.q_norm.weight", "norm"),
        ("model.layers.3.input_layernorm.weight", "norm"),
        ("model.layers.3.mlp.gate_proj.weight", "feed_forward"),
        ("model.layers.3.mlp.gate.weight", "router"),
        ("model.layers.3.mlp.experts.17.down_proj.weight_scale_inv", "expert"),
        ("model.layers.3.mlp.experts.gate_up_proj_blocks", "expert"),
        ("model.layers.3.mlp.shared_experts.up_proj.weight", "shared_expert"),
        ("model.layers.3.share_expert.up_proj.weight", "shared_expert"),
        ("model.layers.3.shared_mlp.input_linear.weight", "shared_expert"),
        ("model.layers.3.mlp.shared_mlp.up_proj.weight", "shared_expert"),
        ("model.layers.3.moe.gate_proj.weight", "expert"),
        ("model.layers.3.moe.down_proj.weight_scale_inv", "expert"),
        ("model.layers.3.moe.gate.weight", "router"),
        ("model.layers.3.block_sparse_moe.input_linear.weight", "expert"),
        ("model.layers.3.block_sparse_moe.router.layer.weight", "router"),
        ("layers.0.ffn.gate.tid2eid", "buffer"),
        ("model.layers.3.mlp.gate.e_score_correction_bias", "buffer"),
        ("backbone.layers.3.mixer.conv1d.weight", "state"),
        ("model.layers.3.linear_attn.in_proj_qkvz.weight", "state"),
        ("model.layers.3.self_attn.indexer.wq_b.weight", "indexer"),
        ("model.vision_tower.encoder.layers.0.mlp.fc1.weight", "vision"),
        ("visual.blocks.0.attn.qkv.weight", "vision"),
        ("mtp.layers.0.mlp.gate_proj.weight", "draft"),
        ("base_model.model.layers.0.self_attn.q_proj.lora_A.weight", "adapter"),
        ("alpha", "other"),
    ],
)
def test_names_say_their_part(name: str, part: str) -> None:
    assert taken_apart(name).part == part


# ── layers that draft tokens, experts that are stacked ───────────────────────────────────────────
DRAFTING = (
    ("model.embed_tokens.weight", "BF16", [100, 8]),
    *((f"model.layers.{i}.{each}", "BF16", [8, 8]) for i in range(3) for each in ("self_attn.q_proj.weight", "mlp.up_proj.weight")),
    *((f"model.layers.2.{each}.weight", "BF16", [8]) for each in ("enorm", "hnorm", "shared_head.norm")),
    ("model.layers.2.eh_proj.weight", "BF16", [8, 16]),
    ("model.layers.2.embed_tokens.weight", "BF16", [100, 8]),
    ("model.layers.2.shared_head.head.weight", "BF16", [100, 8]),
    ("model.norm.weight", "BF16", [8]),
)  # fmt: skip


def test_a_layer_that_drafts_tokens_is_one_as_a_whole() -> None:
    text, _ = read_file(holding(*DRAFTING), "model.safetensors", "files")
    assert text is not None
    got = numbers(text)
    assert got["files.by_part.draft"] == 2 * (2 * 64 + 3 * 8 + 128 + 2 * 800)
    assert got["files.by_part.attention"] == got["files.by_part.feed_forward"] == 2 * 2 * 64
    assert got["files.by_part.embedding"] == 1_600
    assert "first = " not in text.replace("stage = first", "")


STACKED = (
    ("model.layers.0.mlp.experts.gate_up_proj_blocks", "U8", [4, 16, 2, 16]),
    ("model.layers.0.mlp.experts.gate_up_proj_scales", "U8", [4, 16, 2]),
    ("model.layers.0.mlp.experts.gate_up_proj_bias", "BF16", [4, 16]),
    ("model.layers.0.mlp.experts.down_proj_input_scale", "F32", [4]),
    ("model.layers.0.mlp.experts.alpha_scale", "F32", [3]),
)


def test_what_is_stored_beside_stacked_experts_is_of_as_many() -> None:
    text, _ = read_file(holding(*STACKED), "model.safetensors", "files")
    assert text is not None
    got = numbers(f"{text}\nspread : byte = sum(expert_bytes(t) for t in files.tensors)\n")
    assert got["files.by_part.experts"] == 4 * (512 + 32 + 32 + 4) + 12
    assert got["spread"] == 512 + 32 + 32 + 4 + 12


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("model.layers.0.self_attn.o_proj.bias", "replicated"),
        ("model.layers.0.self_attn.q_proj.bias", "split"),
        ("model.layers.0.mlp.down_proj.bias", "replicated"),
        ("model.layers.0.mlp.up_proj.bias", "split"),
        ("model.layers.0.mlp.experts.down_proj_bias", "replicated"),
        ("model.layers.0.mlp.experts.gate_up_proj_bias", "split"),
        ("model.layers.0.mlp.shared_expert_gate.weight", "replicated"),
        ("model.layers.0.mlp.shared_expert.gate_proj.weight", "split"),
        ("model.layers.0.self_attn.indexer.wk.weight", "replicated"),
        ("model.layers.0.self_attn.sinks", "split"),
        ("model.layers.0.self_attn.k_proj.bias", "kv_heads"),
        ("layers.0.attention.wk.weight", "kv_heads"),
    ],
)
def test_biases_after_a_sum_over_devices_are_whole_on_each(name: str, rule: str) -> None:
    assert taken_apart(name).parallel == rule


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("mtp.layers.0.mlp.shared_expert.up_proj.weight", True),
        ("mtp.layers.0.mlp.shared_experts.down_proj.weight_scale_inv", True),
        ("mtp.layers.0.mlp.experts.0.up_proj.weight", False),
        ("model.layers.0.mlp.shared_expert.up_proj.weight", False),
    ],
)
def test_a_shared_expert_of_a_layer_that_drafts_is_told(name: str, beside: bool) -> None:
    dtype = "F32" if "scale" in name else "F8_E4M3"
    text, said = read_file(holding((name, dtype, [4, 4])), "model.safetensors", "files")
    assert said == ()
    assert ("; beside_experts = true }" in str(text)) is beside


@pytest.mark.parametrize(
    ("name", "absorbed"),
    [
        ("model.layers.0.self_attn.kv_b_proj.weight", True),
        ("model.layers.0.self_attn.kv_b_proj.weight_packed", True),
        ("model.layers.0.self_attn.kv_b_proj.weight_scale_inv", False),
        ("model.layers.0.self_attn.kv_a_proj_with_mqa.weight", False),
        ("model.layers.0.self_attn.q_b_proj.weight", False),
    ],
)
def test_what_makes_keys_and_values_of_a_latent_is_named(name: str, absorbed: bool) -> None:
    dtype = "F32" if "scale" in name else "F8_E4M3"
    text, said = read_file(holding((name, dtype, [4, 4])), "model.safetensors", "files")
    assert said == ()
    assert ("; absorbed = true }" in str(text)) is absorbed


@pytest.mark.parametrize(
    ("name", "skippable"),
    [
        ("model.layers.0.mlp.down_proj.qzeros", True),
        ("model.layers.0.mlp.down_proj.g_idx", True),
        ("model.layers.0.mlp.down_proj.weight_g_idx", True),
        ("model.layers.0.mlp.down_proj.weight_zero_point", True),
        ("model.layers.0.mlp.down_proj.weight_shape", True),
        ("model.layers.0.mlp.down_proj.input_scale", True),
        ("model.layers.0.mlp.down_proj.input_global_scale", True),
        ("model.layers.0.self_attn.k_proj.k_scale", True),
        ("model.layers.0.mlp.down_proj.scales", False),
        ("model.layers.0.mlp.down_proj.weight_scale", False),
        ("model.layers.0.mlp.down_proj.weight_scale_inv", False),
        ("model.layers.0.mlp.down_proj.weight_scale_2", False),
        ("model.layers.0.mlp.down_proj.weight_global_scale", False),
        ("model.layers.0.mlp.down_proj.qweight", False),
    ],
)
def test_what_not_every_kernel_reads_is_told_apart(name: str, skippable: bool) -> None:
    text, said = read_file(holding((name, "I32", [4, 4])), "model.safetensors", "files")
    assert said == ()
    assert ("; matmul = false; skippable = true }" in str(text)) is skippable


# ── whether files are those of a model ───────────────────────────────────────────────────────────
LLAMA = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 8, "vocab_size": 100,
    "intermediate_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "num_key_value_heads": 1,
    "max_position_embeddings": 64, "torch_dtype": "bfloat16", "tie_word_embeddings": True,
}  # fmt: skip


def of_llama(
    kind: str = "BF16", layers: int = 3, words: int = 100, width: int = 1
) -> tuple[tuple[str, str, list[int]], ...]:
    """The tensors of that model, or of one like it; `width` weights are packed into one number."""
    matrices = {"self_attn.q_proj": [8, 8], "self_attn.k_proj": [4, 8], "self_attn.v_proj": [4, 8], "self_attn.o_proj": [8, 8],
                "mlp.gate_proj": [16, 8], "mlp.up_proj": [16, 8], "mlp.down_proj": [8, 16]}  # fmt: skip
    return (
        ("model.embed_tokens.weight", "BF16", [words, 8]),
        *((f"model.layers.{i}.{name}.weight", kind, [rows, columns // width])
          for i in range(layers) for name, (rows, columns) in matrices.items()),
        *((f"model.layers.{i}.{name}.weight", "BF16", [8])
          for i in range(layers) for name in ("input_layernorm", "post_attention_layernorm")),
        ("model.norm.weight", "BF16", [8]),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("tensors", "failed"),
    [
        (of_llama(), 0),
        ((*of_llama(), ("lm_head.weight", "BF16", [100, 8])), 0),
        (of_llama("F8_E4M3"), 0),
        (of_llama("U8", width=2), 0),
        (of_llama("I32", width=8), 0),
        (of_llama(layers=2), 1),
        (of_llama(layers=4), 1),
        (of_llama("F8_E4M3", layers=6), 1),
        (of_llama(words=101), 1),
        ((("x.weight", "BF16", [10, 4]),), 2),
        (of_llama()[5:], 2),
    ],
)
def test_files_must_be_those_of_the_model(
    tmp_path: Path, tensors: tuple[tuple[str, str, list[int]], ...], failed: int
) -> None:
    head, size = holding(*tensors)
    (tmp_path / "model.safetensors").write_bytes(head + bytes(size - len(head)))
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    plan = tmp_path / "a.plan"
    plan.write_text(
        'use std\ncheckpoint files from safetensors("model.safetensors")\n'
        'model m from config("config.json") { checkpoint = files }\n'
    )
    found = compile_plan(load(str(plan))).diagnostics
    assert [each.code for each in found] == ["CW0219"] * failed


def test_tensors_of_too_many_sorts_are_refused_soon() -> None:
    parts = holding(*((f"part_{'abcdefghij'[i % 10]}{i}", "U8", [1 + i % 97]) for i in range(20_000)))
    with within(4):
        text, found = read_file(parts, "a", "files")
    assert text is None
    assert [each.code for each in found] == ["CW0683"]


def test_names_that_would_be_alike_in_a_plan_are_told_apart() -> None:
    text, _ = read_file(
        holding(
            ("a", "U8", [1]), ("a.b", "U8", [2]), ("a_b", "U8", [3]), ("a-b_2", "U8", [4]), ("A_B", "U8", [5])
        ),
        "a",
        "files",
    )
    assert text is not None
    assert numbers(text)["files.bytes"] == 15


@pytest.mark.parametrize(
    ("data", "code"), [(b"", "CW0612"), (b"[1]", "CW0679"), (b'"x"', "CW0679"), (b"null", "CW0679")]
)
def test_an_index_goes_by_its_name(data: bytes, code: str) -> None:
    text, found = read_checkpoint(data, "model.safetensors.index.json", "files")
    assert text is None
    assert [each.code for each in found] == [code]
