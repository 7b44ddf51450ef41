"""What a request has reserved is never less than what it keeps: whatever the layout, the sort of layers, the length."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.library.answers import Answers, compiled

GROUPS = {
    "full": "group a : grouped_query { layers = 6 layers; q_heads = 16 q_heads; kv_heads = 8 kv_heads; key_dim = 128 }",
    "local": "group a : sliding { layers = 6 layers; q_heads = 16 q_heads; kv_heads = 8 kv_heads; key_dim = 128; window = 500 tokens }",
    "chunks": "group a : chunked { layers = 6 layers; q_heads = 16 q_heads; kv_heads = 8 kv_heads; key_dim = 128; window = 512 tokens }",
    "mixed": "group a : grouped_query { layers = 2 layers; q_heads = 16 q_heads; kv_heads = 8 kv_heads; key_dim = 128 }\n"
    "group b : sliding { layers = 5 layers; q_heads = 16 q_heads; kv_heads = 8 kv_heads; key_dim = 128; window = 500 tokens }",
    "latent": "group a : latent { layers = 6 layers; q_heads = 16 q_heads; latent_rank = 512; rotary_dim = 64; key_dim = 192; value_dim = 128 }",
}
STATE = (
    "group a : grouped_query { layers = 2 layers; q_heads = 16 q_heads; kv_heads = 8 kv_heads; key_dim = 128 }\n"
    "group b : recurrent { layers = 6 layers; conv_taps = 3; conv_channels = 512; state_heads = 4 state_heads; "
    "state_rows = 64; state_columns = 64 }"
)
CACHES = {
    "bf16_paged": "",
    "narrow": "cache narrow : paged { element = fp8_e4m3; block = 32 tokens/block }",
    "newest": "cache newest : quantised { element = int4; group_size = 64; zero_points = true; residual = 128 tokens; block = 16 tokens/block }",
    "wide": "cache wide : quantised { element = int8; group_size = 32; residual = 1_000 tokens; block = 16 tokens/block }",
}
LENGTHS = (2, 15, 16, 17, 127, 128, 129, 499, 500, 513, 5_000, 20_001)
ENGINES = ("vllm_0_10_1", "vllm_0_22_1", "ideal", "transformers")
CASES = [
    (engine, group, cache)
    for engine in ENGINES
    for group in (*GROUPS, "state")
    for cache in CACHES
    if not (engine == "transformers" and cache in {"newest", "wide"})
    and not (engine == "vllm_0_10_1" and group == "state")
]


@pytest.mark.parametrize(("engine", "group", "cache"), CASES)
def test_no_less_is_reserved_than_is_kept(engine: str, group: str, cache: str, tmp_path: Path) -> None:
    at = f"m, {cache}, whole_on_one, serving"
    lines = "\n".join(
        f"live_{n} : byte/device kind live_bytes = device_sequence_bytes({at}, fed_by_end(serving, {n} tokens))\n"
        f"reserved_{n} : byte/device = ended_blocks({at}, of_{n}.classes.only, {n - 1} tokens) "
        f"* block_bytes(serving, m, {cache}, whole_on_one, 0)\n"
        f"workload of_{n} {{ concurrency = 1 request; class only {{ input = {n - 1} tokens; output = 1 token }} }}"
        for n in LENGTHS
    )
    answers = Answers(
        compiled(
            f"""use std
model m {{
  hidden_size = 1_024; vocabulary = 1_000; max_context = 131_072 tokens; dtype = bf16
  {GROUPS.get(group, STATE)}
}}
{CACHES[cache]}
engine serving : {engine} {{ max_model_len = 32_768 tokens }}
{lines}
""",
            tmp_path,
        )
    )
    for n in LENGTHS:
        live, reserved = answers.number(f"live_{n}"), answers.number(f"reserved_{n}")
        assert 0 < live <= reserved
