"""The library's page of promises and of agreement. Run as a module, this writes it anew."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Final

from tests.unit.library.agreement import Source, sources
from tests.unit.library.cases import ROOT

PAGE: Final = ROOT / "plans" / "std" / "COVERAGE.md"

PROMISES: Final = {
    "M1 uniform KV": (
        "spec/domain/kv.md::Llama-3.1-70B at 16 bits",
        "spec/domain/kv.md::Llama-2-7B keeps every head",
        "spec/mistakes/caches.md::Query heads in a KV count (LLM-Viewer#12, vllm-fit#2, vllm#29736)",
        "unit/library/test_cached_bytes.py::test_the_transformers_profile_holds_what_the_library_caches",
    ),
    "M2 latent KV": (
        "spec/domain/kv.md::DeepSeek-V3 keeps one latent on every device",
        "spec/domain/kv.md::An indexer's keys lie beside the latent",
        "spec/domain/kv.md::An indexer's key at any width",
        "spec/mistakes/caches.md::A latent is not divided by tensor parallelism (tt-xla#5861, inference-sim#1712)",
    ),
    "M3 layer groups": (
        "spec/domain/kv.md::Windows keep what they see",
        "spec/domain/kv.md::Pooled entries behind a window",
        "spec/domain/kv.md::Heads with an indexer beside them",
        "spec/mistakes/caches.md::A layer that uses another's cache has none of its own (unsloth#5225)",
        "spec/mistakes/caches.md::Windows are not billed at full context (aiconfigurator#1537, gguf-parser-go#32, ollama#16958)",
    ),
    "M4 recurrent state": (
        "spec/domain/kv.md::A hybrid keeps a state for each sequence",
        "spec/mistakes/caches.md::Only attention layers keep keys and values (aisimulate#176, inference-sim#1558, inference-sim#1635, gguf-parser-go#31)",
        "unit/library/test_cached_bytes.py::test_transformers_keep_one_token_less_behind_a_window_and_the_whole_kernel",
    ),
    "M5 quantised KV": (
        "spec/domain/kv.md::Groups of scalars share a scale",
        "spec/domain/kv.md::A quantised latent is one row",
        "unit/library/test_cached_bytes.py::test_layouts_of_quantised_caches",
    ),
    "M6 paged allocation": (
        "unit/library/test_allocator.py::test_vllm_0_10_1_answers_alike",
        "unit/library/test_allocator.py::test_vllm_0_22_1_answers_alike",
        "unit/library/test_laws.py::test_blocks_fit_the_pool_and_one_more_does_not",
    ),
    "M7 prefix sharing": ("spec/domain/prefix.md::64 requests, 1,200 tokens and 1,210",),
    "M8 weights": (
        "spec/domain/weights.md::Blocks of eight bits share a scale of four bytes",
        "spec/domain/weights.md::Four bits, by group and format",
        "spec/domain/weights.md::Towers, draft layers, buffers and adapters stand apart",
        "spec/domain/weights.md::Tables that an engine makes",
        "spec/domain/weights.md::A checkpoint's headers stand in for the sums",
        "unit/importers/test_quantisation.py::test_bytes_of_a_method",
        "unit/importers/test_safetensors.py::test_bytes_by_part_and_number_format",
        "unit/loading/test_checkpoints.py::test_shards_of_gigabytes_are_counted_by_their_headers",
        "unit/library/test_checkpoint_sizes.py::test_a_checkpoint_has_its_published_size",
        "unit/library/test_loaded_weights.py::test_loaded_weights_are_inside_the_rounding_of_the_log",
    ),
    "M9 sharding": (
        "spec/domain/sharding.md::Three devices cut no head, twenty-four no query head",
        "spec/domain/sharding.md::Sixteen devices copy each head once",
        "spec/domain/sharding.md::A pipeline of uneven stages reports the fullest",
        "spec/domain/sharding.md::Data-parallel parts copy attention and share experts",
        "spec/domain/sharding.md::Tokens are dealt only to devices that would keep copies",
        "spec/domain/sharding.md::A deployment says what is stored where",
        "spec/domain/sharding.md::What an engine does not deal out is refused with the reason",
        "unit/library/test_sharding_laws.py::test_weights_on_all_devices_are_the_whole_its_copies_and_its_padding",
        "unit/library/test_sharding_laws.py::test_a_sequence_dealt_to_devices_is_kept_once_or_in_declared_copies",
        "unit/library/test_laws.py::test_a_longer_context_never_needs_less",
    ),
    "E6 import": (
        "unit/importers/test_real_configs.py::test_parameters_are_those_of_the_model_that_is_built",
        "unit/importers/test_real_configs.py::test_what_no_library_builds_is_refused_or_known_by_its_blocks",
        "unit/importers/test_quantisation.py::test_what_makes_no_sense_is_said",
        "unit/library/test_models.py::test_a_model_is_what_its_config_says",
    ),
}  # fmt: skip


def missing() -> list[str]:
    """Tests that the page names and that are not there."""
    return [each for tests in PROMISES.values() for each in tests if not _stands(each)]


def _stands(name: str) -> bool:
    file, _, title = name.partition("::")
    path = ROOT / "tests" / file
    if not path.is_file():
        return False
    heading = rf"^#+ {re.escape(title)}$" if file.endswith(".md") else rf"^def {re.escape(title)}\("
    return re.search(heading, path.read_text(encoding="utf-8"), re.MULTILINE) is not None


def page() -> str:
    """The whole page, worked out anew."""
    found = list(sources())
    return "\n".join([*_promises(), "", *_figures(found), "", *_others(found)]) + "\n"


def _promises() -> Iterator[str]:
    yield "# What the library promises about memory, and what shows it"
    yield ""
    yield "Written by `python -m tests.unit.library.coverage_page`; a test says when it is stale. Each promise has the tests that"
    yield "would fail without it; paths are relative to `tests`."
    yield ""
    yield "| promise | shown by |"
    yield "|---|---|"
    for promise, tests in PROMISES.items():
        for number, each in enumerate(tests):
            file, _, title = each.partition("::")
            yield f"| {'' if number else promise} | `{file}`: {title.replace('_', ' ').removeprefix('test ')} |"


def _figures(found: list[Source]) -> Iterator[str]:
    yield "## Agreement with systems that nobody here wrote"
    yield ""
    yield "| source | what is compared | equal | of |"
    yield "|---|---|--:|--:|"
    for source in found:
        yield f"| `{source.name}` | {source.what} | {source.equal} | {source.equal + len(source.others)} |"


def _others(found: list[Source]) -> Iterator[str]:
    yield "## Every row that is not equal, and why"
    for source in found:
        if source.others:
            yield from ("", f"### `{source.name}`", "")
            yield from (f"- {row}: {why}" for row, why in source.others)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write("wrote the page of coverage\n")
