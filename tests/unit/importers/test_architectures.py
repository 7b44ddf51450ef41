"""Architectures by the mechanism: totals that are public for models outside the data, and one small config for each way of
saying which layer is which."""

from __future__ import annotations

import re

import pytest

from capwright.base.source import Span
from capwright.compiling import compile_plan
from capwright.importers import import_config
from capwright.importers.cache_question import Question, question
from capwright.importers.descriptions import described, library, merged, read_table
from capwright.loading import load
from tests.unit.importers.public_models import COUNTS, PUBLIC
from tests.unit.library.imported import words

PHI_3_SMALL = {
    "architectures": ["Phi3SmallForCausalLM"], "model_type": "phi3small", "hidden_size": 64, "vocab_size": 100,
    "ff_intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
}  # fmt: skip


def compiled(config: dict) -> dict[str, int]:
    """The whole quantities of a config's compiled text, by address within the model."""
    text, found = import_config({"torch_dtype": "bfloat16", **config}, "config.json", "m")
    assert text is not None, found
    result = compile_plan(load("/nowhere/asked.plan", texts={"asked.plan": text}))
    assert not result.failed, result.diagnostics
    return {each.address.removeprefix("m."): each.nominal for each in result.document.quantities}


@pytest.mark.no_cover  # as of published rows: hundreds go through the same lines
@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_model_has_the_parameters_that_others_count(name):
    row = PUBLIC[name]
    got = compiled(row["config"])
    with_draft = int(got["parameters"]) + int(got["draft_parameters"])
    counted = {**got, "with_draft": with_draft}
    wanted = {each: row[each] for each in COUNTS if each in row}
    assert wanted
    assert {each: int(counted[each]) for each in wanted} == wanted


@pytest.mark.no_cover  # as of published rows
@pytest.mark.parametrize("name", [name for name, row in PUBLIC.items() if "cache_300" in row])
def test_a_public_model_caches_what_the_library_caches(name):
    row = PUBLIC[name]
    text, _ = import_config({"torch_dtype": "bfloat16", **row["config"]}, "config.json", "m")
    assert text is not None
    asked = question(text, 300, "bf16", "transformers", words())
    assert isinstance(asked, Question)
    result = compile_plan(load("/nowhere/asked.plan", texts={"asked.plan": asked.text}))
    assert not result.failed, result.diagnostics
    values = {each.address: each.nominal for each in result.document.quantities}
    assert int(values["asked.total"]) == row["cache_300"]


SIZES = {
    "hidden_size": 64, "vocab_size": 100, "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2,
    "max_position_embeddings": 512, "torch_dtype": "bfloat16",
}  # fmt: skip
LATENT = {
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 8,
    "v_head_dim": 8,
    "q_lora_rank": 16,
}
MAMBA = {"mamba_num_heads": 4, "mamba_head_dim": 8, "ssm_state_size": 8, "n_groups": 1}


def arch(name: str, kind: str, layers: int | None, **keys: object) -> dict:
    depth = {} if layers is None else {"num_hidden_layers": layers}
    return {"architectures": [name], "model_type": kind, **SIZES, **depth, **keys}


def groups(config: dict) -> dict[str, tuple[int, str]]:
    """For each layer group its number of layers and where they lie, as written."""
    text, found = import_config(config, "config.json", "m")
    assert text is not None, found
    made = {}
    for block in text.split("  group ")[1:]:
        lines = [line.strip() for line in block.partition("\n  }")[0].splitlines()]
        where = next((line for line in lines if line.startswith(("first", "at"))), "")
        made[block.split(" ")[0]] = int(lines[1].split()[2]), where
    return made


SPELLINGS = [
    ("a list of kinds", arch("GptOssForCausalLM", "gpt_oss", 4, head_dim=16, num_local_experts=4, num_experts_per_tok=2,
                             layer_types=["sliding_attention", "full_attention"] * 2, sliding_window=8),
     {"full": (2, "first = 1; run = 1; every = 2"), "local": (2, "first = 0; run = 1; every = 2")}),
    ("every so many", arch("Gemma3ForCausalLM", "gemma3_text", 6, sliding_window=8, sliding_window_pattern=3),
     {"full": (2, "first = 2; run = 1; every = 3"), "local": (4, "first = 0; run = 2; every = 3")}),
    ("a word", arch("Exaone4ForCausalLM", "exaone4", 8, sliding_window=8, sliding_window_pattern="LLLG"),
     {"full": (2, "first = 3; run = 1; every = 4"), "local": (6, "first = 0; run = 3; every = 4")}),
    ("left to the code", arch("Gemma2ForCausalLM", "gemma2", 4, sliding_window=8),
     {"full": (2, "first = 1; run = 1; every = 2"), "local": (2, "first = 0; run = 1; every = 2")}),
    ("an interval", arch("Qwen3NextForCausalLM", "qwen3_next", 8, full_attention_interval=4),
     {"full": (2, "first = 3; run = 1; every = 4"), "linear": (6, "first = 0; run = 3; every = 4")}),
    ("ones and noughts", arch("MiniMaxM1ForCausalLM", "minimax_m1", 4, attn_type_list=[0, 0, 0, 1], num_local_experts=4,
                              num_experts_per_tok=2),
     {"full": (1, "first = 3; run = 1; every = 2"), "linear": (3, "first = 0; run = 3; every = 4")}),
    ("a pattern of marks", arch("NemotronHForCausalLM", "nemotron_h", 5, hybrid_override_pattern="M-M*-", **MAMBA),
     {"full": (1, "first = 3; run = 1; every = 2"), "state": (2, "at = [0, 2]"),
      "feed_forward": (2, "first = 1; run = 1; every = 3")}),
    ("a list of blocks without a count", arch("NemotronHForCausalLM", "nemotron_h", None, layers_block_type=[
        "mamba", "mlp", "mamba", "mlp", "attention", "mlp", "mlp"], **MAMBA),
     {"full": (1, "first = 4; run = 1; every = 3"), "state": (2, "at = [0, 2]"), "feed_forward": (4, "at = [1, 3, 5, 6]")}),
    ("a period and an offset", arch("JambaForCausalLM", "jamba", 8, attn_layer_period=4, attn_layer_offset=2),
     {"full": (2, "first = 2; run = 1; every = 4"), "state": (6, "at = [0, 1, 3, 4, 5, 7]")}),
    ("a list of numbers", arch("BambaForCausalLM", "bamba", 4, attn_layer_indices=[1], mamba_n_heads=8),
     {"full": (1, "first = 1; run = 1; every = 3"), "state": (3, "at = [0, 2, 3]")}),
    ("numbers from one", arch("KimiLinearForCausalLM", "kimi_linear", 4, **LATENT, num_experts=4, num_experts_per_token=2,
                              moe_intermediate_size=32, linear_attn_config={
                                  "full_attn_layers": [4], "kda_layers": [1, 2, 3], "num_heads": 4, "head_dim": 16}),
     {"latent": (1, "first = 3; run = 1; every = 2"), "linear": (3, "first = 0; run = 3; every = 4")}),
    ("layers without positions", arch("Llama4ForCausalLM", "llama4_text", 4, attention_chunk_size=8,
                                      no_rope_layers=[1, 1, 0, 1]),
     {"full": (1, "first = 2; run = 1; every = 2"), "chunked": (3, "first = 0; run = 2; every = 3")}),
    ("both at once", arch("FalconH1ForCausalLM", "falcon_h1", 3, mamba_d_ssm=64, mamba_n_heads=4),
     {"full": (3, ""), "state": (3, "")}),
    ("one block for several layers", arch("Zamba2ForCausalLM", "zamba2", 4, n_mamba_heads=4, layers_block_type=[
        "mamba", "hybrid", "mamba", "hybrid"]), {"full": (2, "first = 1; run = 1; every = 2"), "state": (4, "")}),
    ("layers that take over a cache", arch("Gemma4ForCausalLM", "gemma4_text", 4, sliding_window=8, head_dim=16,
                                           num_kv_shared_layers=2, layer_types=["sliding_attention", "full_attention"] * 2),
     {"full": (2, "first = 1; run = 1; every = 3"), "local": (2, "first = 0; run = 1; every = 4")}),
]  # fmt: skip


@pytest.mark.parametrize(("config", "wanted"), [pytest.param(c, w, id=name) for name, c, w in SPELLINGS])
def test_which_layer_is_which(config, wanted):
    assert groups(config) == wanted


def test_layers_that_share_a_block_store_it_once():
    kinds = ["mamba", "hybrid", "hybrid", "hybrid"]
    config = arch(
        "Zamba2ForCausalLM", "zamba2", 4, n_mamba_heads=4, layers_block_type=kinds, num_mem_blocks=2
    )
    text, _ = import_config(config, "config.json", "m")
    own, again = (line for line in text.splitlines() if line.strip().startswith("tensor query"))
    assert "copies = 2" in own
    assert "tied" not in own
    assert "copies = 1" in again
    assert "tied = true" in again
    assert int(compiled(config)["layers"]) == 4


def test_layers_that_share_a_cache_have_no_keys_of_their_own():
    config = arch("HunYuanMoEV1ForCausalLM", "hunyuan", 4, num_experts=4, use_cla=True, cla_share_factor=2)
    text, _ = import_config(config, "config.json", "m")
    assert "stored_layers = 2 layers" in text
    assert copies(config, "query") == 4
    assert copies(config, "keys") == copies(config, "values") == 2


def copies(config: dict, tensor: str) -> int:
    text, found = import_config(config, "config.json", "m")
    assert text is not None, found
    lines = [line for line in text.splitlines() if line.strip().startswith(f"tensor {tensor} ")]
    return sum(int(line.partition("copies = ")[2].partition(";")[0]) for line in lines)


OTHER_HEADS = {
    "attention_type": "sliding_attention",
    "num_attention_heads": 8,
    "num_attention_groups": 2,
    "head_dim": None,
}
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
ROUTED = [
    ("first dense", arch("DeepseekV3ForCausalLM", "deepseek_v3", 4, **LATENT, n_routed_experts=4, num_experts_per_tok=2,
                         moe_intermediate_size=32, n_shared_experts=1, first_k_dense_replace=1), 3),
    ("a list of noughts and ones", arch("MiniMaxM3ForCausalLM", "minimax_m3", 4, head_dim=16, num_local_experts=4,
                                        num_experts_per_tok=2, moe_layer_freq=[0, 0, 1, 1]), 2),
    ("all but a list", arch("Qwen3MoeForCausalLM", "qwen3_moe", 4, **EXPERTS, mlp_only_layers=[0, 3]), 2),
    ("every second", arch("Qwen3MoeForCausalLM", "qwen3_moe", 4, **EXPERTS, decoder_sparse_step=2), 2),
    ("in steps", arch("Llama4ForCausalLM", "llama4_text", 4, interleave_moe_layer_step=4), 1),
    ("kinds", arch("GlmMoeDsaForCausalLM", "glm_moe_dsa", 3, **LATENT, n_routed_experts=4, num_experts_per_tok=2,
                   moe_intermediate_size=32, index_n_heads=2, index_head_dim=8, index_topk=4,
                   mlp_layer_types=["dense", "sparse", "sparse"]), 2),
    ("from one to another", arch("Ernie4_5_MoeForCausalLM", "ernie4_5_moe", 4, moe_num_experts=4, moe_k=2,
                                 moe_intermediate_size=32, moe_layer_start_index=1, moe_layer_end_index=2), 2),
]  # fmt: skip


@pytest.mark.parametrize(("config", "wanted"), [pytest.param(c, w, id=name) for name, c, w in ROUTED])
def test_which_layers_are_routed(config, wanted):
    assert copies(config, "router") == wanted


@pytest.mark.parametrize(
    ("changes", "heads"),
    [
        ({"multi_query": True, "num_kv_heads": 4}, 1),
        ({"multi_query": False, "num_kv_heads": 2}, 2),
        ({"new_decoder_architecture": True, "num_kv_heads": 2}, 2),
        ({"new_decoder_architecture": True}, 4),
    ],
)
def test_kv_heads_of_a_falcon(changes, heads):
    config = {key: value for key, value in SIZES.items() if key != "num_key_value_heads"}
    said = {
        "architectures": ["FalconForCausalLM"],
        "model_type": "falcon",
        "num_hidden_layers": 2,
        **config,
        **changes,
    }
    text, _ = import_config(said, "config.json", "m")
    assert f"    kv_heads = {heads} kv_head" in text


@pytest.mark.parametrize(("word", "gates"), [(True, 4), ("per-head", 4), ("per-element", 4 * 128), (None, 4)])
def test_gates_of_a_laguna_are_one_a_head_or_one_an_element(word, gates):
    text, _ = import_config(arch("LagunaForCausalLM", "laguna", 2, gating=word), "config.json", "m")
    assert text is not None
    assert (
        f"tensor attention_gate {{ part = attention; parameters = {gates} * hidden_size * 1 parameter;"
        in text
    )


def test_heads_under_latent_attention_are_not_taken_from_the_keys_that_mislead():
    config = arch("DeepseekV2ForCausalLM", "deepseek_v2", 2, **LATENT, head_dim=999, n_routed_experts=4,
                  num_experts_per_tok=2, moe_intermediate_size=32)  # fmt: skip
    text, found = import_config(config, "config.json", "m")
    assert "999" not in text
    assert not found
    assert "latent_rank = 16" in text


# Whether the model that transformers 5.24.0 builds has its head tied, by the outer object's word and the decoder's own.
WORDS = [(None, None), (None, True), (None, False), (True, None), (True, False), (False, None), (False, True)]
TIED = {
    "the outer one, else tied": "YYYYYNN",
    "the outer one, else not": "NNNYYNN",
    "either": "NYNYYNY",
    "the decoder's": "NYNNNNY",
}
READ = [
    ("Gemma3ForConditionalGeneration", "gemma3", "gemma3_text", "the outer one, else tied"),
    ("Mistral3ForConditionalGeneration", "mistral3", "mistral", "the outer one, else tied"),
    ("InternVLForConditionalGeneration", "internvl", "qwen2", "the outer one, else tied"),
    ("Lfm2VlForConditionalGeneration", "lfm2_vl", "lfm2", "the outer one, else tied"),
    ("Qwen3VLForConditionalGeneration", "qwen3_vl", "qwen3_vl_text", "the outer one, else not"),
    ("Idefics3ForConditionalGeneration", "idefics3", "llama", "the outer one, else not"),
    ("LlavaNextForConditionalGeneration", "llava_next", "llama", "the outer one, else not"),
    ("LlavaForConditionalGeneration", "llava", "llama", "either"),
    ("Qwen2_5_VLForConditionalGeneration", "qwen2_5_vl", "qwen2_5_vl_text", "either"),
    ("Glm4vForConditionalGeneration", "glm4v", "glm4v_text", "either"),
    ("Llama4ForConditionalGeneration", "llama4", "llama4_text", "the decoder's"),
]


@pytest.mark.parametrize(("name", "kind", "inner", "rule"), READ)
def test_whose_word_on_tied_embeddings_counts(name, kind, inner, rule):
    for (outer, own), wanted in zip(WORDS, TIED[rule], strict=True):
        text_config = {**SIZES, "num_hidden_layers": 2, "model_type": inner, "tie_word_embeddings": own}
        config = {
            "architectures": [name],
            "model_type": kind,
            "text_config": text_config,
            "tie_word_embeddings": outer,
        }
        text, found = import_config(config, "config.json", "m")
        assert text is not None, found
        said = re.search(r"tied_embeddings = (\w+)", text)
        assert (said[1] if said else None) == {"Y": "true", "N": "false"}[wanted], (outer, own)
        # A word that is not read, against what is counted, is told.
        if outer is None and own is not None and own != (wanted == "Y"):
            assert "CW0632" in [each.code for each in found]


@pytest.mark.parametrize(
    ("config", "code"),
    [
        (arch("HunYuanMoEV1ForCausalLM", "hunyuan", 2, **EXPERTS, use_mla=True), "CW0634"),
        (arch("DeciLMForCausalLM", "nemotron-nas", 2), "CW0621"),
        (arch("FalconH1ForCausalLM", "falcon_h1", 2, mamba_d_ssm=64, mamba_n_heads=4, mamba_d_head=8), "CW0625"),
        (arch("Zamba2ForCausalLM", "zamba2", 2), "CW0621"),
        (arch("NemotronHForCausalLM", "nemotron_h", 3, **MAMBA), "CW0634"),
        (arch("NemotronHForCausalLM", "nemotron_h", None, **MAMBA), "CW0634"),
        (arch("NemotronHForCausalLM", "nemotron_h", 3, hybrid_override_pattern="M*", **MAMBA), "CW0629"),
        (arch("MiniMaxM1ForCausalLM", "minimax_m1", 2, attn_type_list=[0, 2], num_local_experts=4,
              num_experts_per_tok=2), "CW0622"),
        (arch("Qwen3MoeForCausalLM", "qwen3_moe", 2, num_experts=4, num_experts_per_tok=5, moe_intermediate_size=8), "CW0635"),
        (arch("Qwen3MoeForCausalLM", "qwen3_moe", 2, num_experts=4, num_experts_per_tok=0, moe_intermediate_size=8), "CW0635"),
        (arch("NemotronHForCausalLM", "nemotron_h", 3, hybrid_override_pattern="ME*", n_routed_experts=4,
              num_experts_per_tok=0, **MAMBA), "CW0635"),
        (arch("NemotronHForCausalLM", "nemotron_h", 3, hybrid_override_pattern="ME*", n_routed_experts=4,
              num_experts_per_tok=2, moe_intermediate_size=0, **MAMBA), "CW0623"),
        (arch("GraniteMoeHybridForCausalLM", "granitemoehybrid", 2, num_local_experts=0, num_experts_per_tok=0,
              shared_intermediate_size=0, layer_types=["attention", "attention"]), "CW0623"),
        (arch("FalconForCausalLM", "falcon", 2, n_head=8), "CW0632"),
        (arch("MiMoV2FlashForCausalLM", "mimo_v2_flash", 2, n_routed_experts=4, num_experts_per_tok=2, moe_intermediate_size=8,
              hybrid_layer_pattern=[0, 1], moe_layer_freq=[0, 1], swa_num_key_value_heads=3), "CW0624"),
        (arch("Step3p5ForCausalLM", "step3p5", 2, moe_num_experts=4, moe_top_k=2, moe_intermediate_size=8, share_expert_dim=8,
              sliding_window=8, layer_types=["full_attention", "sliding_attention"], attention_other_setting={
                  "attention_type": "sliding_attention", "num_attention_heads": 5, "num_attention_groups": 2, "head_dim": None}),
         "CW0624"),
        (arch("LagunaForCausalLM", "laguna", 2, sliding_window=8, layer_types=["full_attention", "sliding_attention"],
              num_attention_heads_per_layer=[4, 5]), "CW0624"),
        (arch("LagunaForCausalLM", "laguna", 3, sliding_window=8, layer_types=["full_attention"] * 3,
              num_attention_heads_per_layer=[4, 4, 8]), "CW0634"),
        *((arch("LagunaForCausalLM", "laguna", 2, gating=word), "CW0634") for word in (False, "per-layer")),
        (arch("HeliumForCausalLM", "helium", 2, head_dim=8), "CW0632"),
        (arch("DogeForCausalLM", "doge", 2, is_moe=True), "CW0634"),
        (arch("ExaoneMoEForCausalLM", "exaone_moe", 4, sliding_window=8, sliding_window_pattern="LLLG"), "CW0634"),
        (arch("NovelForCausalLM", "novel", 2), "CW0620"),
        (arch("MolmoForCausalLM", "molmo", 2, layer_norm_type="low_precision"), "CW0622"),
        (arch("BambaForCausalLM", "bamba", 4, attn_layer_indices=[4], mamba_n_heads=8), "CW0622"),
        (arch("BambaForCausalLM", "bamba", 4, attn_layer_indices=["1"], mamba_n_heads=8), "CW0622"),
        (arch("BambaForCausalLM", "bamba", 4, attn_layer_indices=[1, 1], mamba_n_heads=8), "CW0622"),
        (arch("Qwen3MoeForCausalLM", "qwen3_moe", 2, **EXPERTS, mlp_only_layers=[-1]), "CW0622"),
        (arch("Llama4ForCausalLM", "llama4_text", 2, moe_layers=[99]), "CW0622"),
        (arch("Llama4ForCausalLM", "llama4_text", 2, no_rope_layers=[2, 1]), "CW0622"),
        (arch("KimiLinearForCausalLM", "kimi_linear", 4, **LATENT, **EXPERTS, linear_attn_config={
            "full_attn_layers": [4], "kda_layers": [0, 1, 2], "num_heads": 4, "head_dim": 16}), "CW0622"),
        (arch("KimiLinearForCausalLM", "kimi_linear", 4, **LATENT, **EXPERTS, linear_attn_config={
            "full_attn_layers": [3, 4], "kda_layers": [2, 3], "num_heads": 4, "head_dim": 16}), "CW0629"),
        (arch("JambaForCausalLM", "jamba", 8, attn_layer_period=4, attn_layer_offset=4), "CW0632"),
        (arch("NemotronHForCausalLM", "nemotron_h", 3, hybrid_override_pattern="MX*", **MAMBA), "CW0622"),
        (arch("NemotronHForCausalLM", "nemotron_h", 2, hybrid_override_pattern="MM", layers_block_type=[
            "mamba", "attention"], **MAMBA), "CW0632"),
        (arch("NemotronHForCausalLM", "nemotron_h", 2, hybrid_override_pattern="*M", layers_block_type=[
            "mamba", "attention"], **MAMBA), "CW0632"),
        (arch("NemotronHForCausalLM", "nemotron_h", 2, hybrid_override_pattern="M-", layers_block_type=["mamba", "moe"],
              n_routed_experts=4, num_experts_per_tok=2, **MAMBA), "CW0632"),
        (arch("DeepseekV3ForCausalLM", "deepseek_v3", 2, **LATENT, n_routed_experts=4, num_experts_per_tok=2,
              moe_intermediate_size=8, n_shared_experts=1, first_k_dense_replace=2, num_nextn_predict_layers=1), "CW0634"),
        *((arch("Step3p5ForCausalLM", "step3p5", 2, moe_num_experts=4, moe_top_k=2, moe_intermediate_size=8, share_expert_dim=8,
                sliding_window=8, layer_types=["full_attention", "sliding_attention"], attention_other_setting=other), code)
          for other, code in ((OTHER_HEADS | {"num_attention_heads": "8"}, "CW0622"), (OTHER_HEADS | {"num_attention_heads": -8}, "CW0623"),
                              (OTHER_HEADS | {"attention_type": "full_attention"}, "CW0634"), (OTHER_HEADS | {"head_dim": 8}, "CW0634"),
                              ([1], "CW0622"), ("x", "CW0622"), ({}, "CW0621"), (OTHER_HEADS | {"head_dim": 8, "x": 1}, "CW0634"),
                              *(({key: value for key, value in OTHER_HEADS.items() if key != gone}, "CW0621") for gone in OTHER_HEADS))),
        *(({"architectures": ["Gemma4ForConditionalGeneration"], "model_type": "gemma4", "vision_config": None, "text_config": {
            **SIZES, "num_hidden_layers": 2}, "audio_config": {"subsampling_conv_channels": given}}, code)
          for given, code in (([128, "x"], "CW0622"), ([128], "CW0629"), ({"a": 1}, "CW0622"), (64, "CW0622"))),
        (arch("LagunaForCausalLM", "laguna", 2, num_attention_heads_per_layer=4), "CW0622"),
        *((arch("LlamaForCausalLM", "llama", 2, **{key: given}), code)
          for key in ("rope_scaling", "rope_parameters")
          for given, code in (([1], "CW0622"), ("yarn", "CW0622"), ({"rope_type": "yarn"}, "CW0621"), ({"rope_type": "linear"}, "CW0621"))),
        (arch("LlamaForCausalLM", "llama", 2, rope_parameters={"full_attention": 4}), "CW0622"),
        *((arch("KimiLinearForCausalLM", "kimi_linear", 4, **LATENT, **EXPERTS, linear_attn_config=given), "CW0622") for given in ([], "x", 4)),
        (arch("DbrxForCausalLM", "dbrx", 2, d_model=64, n_layers=2, n_heads=4, attn_config=8), "CW0622"),
        (arch("Exaone4ForCausalLM", "exaone4", 4, sliding_window_pattern="lllg"), "CW0622"),
        (arch("HunYuanMoEV1ForCausalLM", "hunyuan", 2, num_experts=4, moe_topk=-1), "CW0623"),
        (arch("HunYuanMoEV1ForCausalLM", "hunyuan", 2, num_experts=4, moe_topk=[1, 1, 1]), "CW0629"),
        (arch("HunYuanMoEV1ForCausalLM", "hunyuan", 2, num_experts=4, moe_topk=[1, 0]), "CW0622"),
        (arch("Gemma3nForCausalLM", "gemma3n_text", 4, head_dim=16) | {"intermediate_size": [8, 8]}, "CW0629"),
        (arch("Ernie4_5_MoeForCausalLM", "ernie4_5_moe", 4, moe_num_experts=4, moe_k=2, moe_intermediate_size=32,
              moe_layer_end_index=-2), "CW0623"),
        (arch("Qwen3ForCausalLM", "qwen3", 2, layer_types=["sliding_attention", "full_attention"], sliding_window=8,
              use_sliding_window=False), "CW0632"),
        ({"architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3", "vision_config": [1],
          "text_config": {**SIZES, "num_hidden_layers": 2}}, "CW0622"),
    ],
)  # fmt: skip
def test_what_is_refused_and_why(config, code):
    text, found = import_config(config, "config.json", "m")
    assert text is None
    assert code in [each.code for each in found if each.severity == "error"]
    assert all(each.help for each in found)


@pytest.mark.parametrize(
    "key",
    ["kv_lora_rank", "num_nextn_predict_layers", "attn_type_list", "use_cla", "swa_head_dim", "moe_topk"],
)
def test_a_key_that_is_not_read_is_told(key):
    text, found = import_config(arch("LlamaForCausalLM", "llama", 2, **{key: 16}), "config.json", "m")
    assert text is not None
    assert [(each.code, each.severity) for each in found] == [("CW0633", "warning")]


@pytest.mark.parametrize("key", ["vision_config", "audio_config", "visual"])
def test_a_tower_that_is_not_read_is_told(key):
    text, found = import_config(
        arch("Qwen2ForCausalLM", "qwen2", 2, **{key: {"hidden_size": 8}}), "config.json", "m"
    )
    assert text is not None
    assert [(each.code, each.severity) for each in found] == [("CW0633", "warning")]


LEFT_OUT = [
    ("DeepseekV3ForCausalLM", "deepseek_v3", "first_k_dense_replace", "gate_up", 3),
    ("DeepseekV2ForCausalLM", "deepseek_v2", "q_lora_rank", "query_down", 4),
    ("Glm4MoeForCausalLM", "glm4_moe", "n_shared_experts", "shared_down", 3),
]


@pytest.mark.parametrize(("name", "kind", "key", "tensor", "wanted"), LEFT_OUT)
def test_what_is_left_out_is_as_the_code_says_and_not_nothing(name, kind, key, tensor, wanted):
    latent = {each: size for each, size in LATENT.items() if each != "q_lora_rank"}
    config = arch(
        name, kind, 4, **latent, n_routed_experts=4, num_experts_per_tok=2, moe_intermediate_size=32
    )
    assert key not in config
    assert copies(config, tensor) == wanted
    if key == "first_k_dense_replace":  # no layer's number compares with what is none
        text, found = import_config({**config, key: None}, "config.json", "m")
        assert (text, [each.code for each in found]) == (None, ["CW0621"])
    else:
        assert copies({**config, key: None}, tensor) != wanted


def test_layers_share_no_cache_where_all_would():
    config = arch("Gemma3nForCausalLM", "gemma3n_text", 5, head_dim=16, num_kv_shared_layers=5)
    text, _ = import_config(config, "config.json", "m")
    assert text is not None
    assert "stored_layers" not in text


@pytest.mark.parametrize("name", library())
def test_every_description_is_sound(name):
    description = described(name, merged(read_table(library()[name]), library()))
    assert bool(description.architectures) == bool(description.model_types)
    assert description.title


def test_a_name_belongs_to_one_description():
    for key in ("architectures", "model_types"):
        names = [each for text in library().values() for each in read_table(text).get(key, ())]
        shared = {each for each in names if names.count(each) > 1}
        # One publisher's file gives the inner type where the outer belongs, Ling-mini-2.0's the first version's.
        assert shared <= {"ministral3", "bailing_moe"}


def inside(name: str, kind: str, inner: str) -> dict:
    """A config whose decoder's keys stand in an object of their own."""
    text_config = {**SIZES, **LATENT, **EXPERTS, "num_hidden_layers": 4, "model_type": inner}
    return {
        "architectures": [name],
        "model_type": kind,
        "text_config": text_config,
        "torch_dtype": "bfloat16",
    }


@pytest.mark.parametrize(
    ("config", "wanted"),
    [
        (arch("Glm4MoeForCausalLM", "glm4_moe", 4, **EXPERTS), ("no", "glm4_moe.py")),
        (arch("DeepseekV4ForCausalLM", "deepseek_v4", 4, **EXPERTS), ("no", "vllm/models/deepseek_v4")),
        (arch("HunYuanMoEV1ForCausalLM", "hunyuan", 4, num_experts=4), ("no", "hunyuan_v1.py")),
        (arch("HunYuanForCausalLM", "hunyuan", 4, num_experts=4), None),
        (arch("ExaoneMoEForCausalLM", "exaone_moe", 4, **EXPERTS), ("no", "exaone_moe.py")),
        (arch("ExaoneMoeForCausalLM", "exaone_moe", 4, **EXPERTS), None),
        (arch("Step3p5ForCausalLM", "step3p5", 4, share_expert_dim=32, **EXPERTS), ("no", "step3p5.py")),
        (arch("Step3p7FlashForCausalLM", "step3p7", 4, share_expert_dim=32, **EXPERTS), None),
        (arch("MiniMaxM3ForCausalLM", "minimax_m3", 4, num_experts=4, num_experts_per_tok=2), None),
        (arch("SolarOpenForCausalLM", "solar_open", 4, **EXPERTS), None),
        (arch("HYV4ForCausalLM", "hy_v4", 4, **EXPERTS), None),
        (arch("Qwen3_5MoeForCausalLM", "qwen3_5_moe_text", 4), None),
        (inside("Qwen3_5MoeForConditionalGeneration", "qwen3_5_moe", "qwen3_5_moe_text"), ("yes", "qwen3_next.py")),
        (inside("Glm4vMoeForConditionalGeneration", "glm4v_moe", "glm4v_moe_text"), ("no", "glm4_moe.py")),
        (inside("Glm46VForConditionalGeneration", "glm46v", "glm4v_moe_text"), None),
        (inside("KimiK25ForConditionalGeneration", "kimi_k25", "deepseek_v3"), ("yes", "deepseek_v2.py")),
        (inside("Kimi_K25ForConditionalGeneration", "kimi_k25", "deepseek_v3"), None),
    ],
    ids=lambda each: each["architectures"][0] if isinstance(each, dict) else "",
)  # fmt: skip
def test_what_an_engine_does_with_shared_experts_is_said_of_models_that_it_has_code_for(config, wanted):
    text, found = import_config(config, "config.json", "m")
    assert text is not None, found
    assert "part = shared_expert" in text
    said = [line.strip() for line in text.splitlines() if line.strip().startswith("deals_to_experts")]
    assert said == (
        [f'deals_to_experts = {wanted[0]}  source "vLLM 0.22.1 {wanted[1]}: deals_to_experts is {wanted[0]}"']
        if wanted
        else []
    )


def test_what_stands_in_the_place_of_an_object_is_told_once_and_there():
    keys = {**LATENT, **EXPERTS, "linear_attn_config": [1, 2]}
    _, found = import_config(
        arch("KimiLinearForCausalLM", "kimi_linear", 4, **keys),
        "config.json",
        "m",
        lambda path: Span(repr(path), 0, 0),
    )
    assert [(each.code, each.span.file) for each in found] == [("CW0622", repr(("linear_attn_config",)))]
    assert "/linear_attn_config is the list `[1, 2]`, and must be an object" in found[0].message


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"architectures": ["GPTNeoForCausalLM"], "model_type": "gpt_neo", "num_layers": 2}, True),
        ({**PHI_3_SMALL, "dense_attention_every_n_layers": 2}, True),
        ({**PHI_3_SMALL, "dense_attention_every_n_layers": 1}, False),
    ],
    ids=["gpt-neo", "phi-3-small", "dense"],
)
def test_layers_whose_pattern_is_not_read_see_no_more_than_all_keys(config, told):
    """No bound of time may rest on pairs that such layers do not compute."""
    text, found = import_config({"torch_dtype": "bfloat16", **config}, "config.json", "m")
    assert text is not None, found
    assert ("CW0639" in [one.code for one in found], "sees_fewer = true" in text) == (told, told)
