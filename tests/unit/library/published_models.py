"""The library's models: which published config each is imported from. Run as a module, this writes them anew."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

from capwright.importers import READERS
from capwright.importers.contract import Beside
from tests.unit.library.cases import ROOT
from tests.unit.library.imported import CONFIGS

FOLDER: Final = ROOT / "plans" / "std" / "models"
CONFIG_NAMES: Final = (
    "ByteDance-Seed__Seed-OSS-36B-Instruct", "MiniMaxAI__MiniMax-M2.5", "Qwen__Qwen2-7B-Instruct", "Qwen__Qwen2.5-14B",
    "Qwen__Qwen2.5-32B", "Qwen__Qwen2.5-72B", "Qwen__Qwen3-0.6B", "Qwen__Qwen3-1.7B", "Qwen__Qwen3-4B", "Qwen__Qwen3-8B-FP8",
    "Qwen__Qwen3-14B", "Qwen__Qwen3-32B", "Qwen__Qwen3-30B-A3B-Instruct-2507", "Qwen__Qwen3-Coder-480B-A35B-Instruct",
    "Qwen__Qwen3-Next-80B-A3B-Instruct", "Qwen__Qwen3.5-27B", "Qwen__Qwen3.5-397B-A17B", "allenai__OLMo-2-0325-32B",
    "deepseek-ai__DeepSeek-R1-0528", "deepseek-ai__DeepSeek-V3", "deepseek-ai__DeepSeek-V3.1", "deepseek-ai__DeepSeek-V3.2",
    "google__gemma-2-9b", "google__gemma-3-27b-it", "google__gemma-4-E2B-it", "ibm-granite__granite-3.3-8b-instruct",
    "meta-llama__Llama-3.1-405B-Instruct-FP8", "meta-llama__Llama-3.2-1B-Instruct",
    "meta-llama__Llama-4-Scout-17B-16E-Instruct", "meta-llama__Meta-Llama-3.1-70B", "meta-llama__Meta-Llama-3.1-8B",
    "microsoft__Phi-4-mini-instruct", "microsoft__phi-4", "mistralai__Devstral-Small-2-24B-Instruct-2512",
    "mistralai__Mistral-7B-Instruct-v0.2", "mistralai__Mistral-Nemo-Instruct-2407", "mistralai__Mixtral-8x22B-v0.1",
    "moonshotai__Kimi-K2-Instruct", "moonshotai__Kimi-K2.5", "nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
    "openai__gpt-oss-120b", "zai-org__GLM-4.5", "zai-org__GLM-5.1-FP8", "zai-org__GLM-5.2-FP8",
)  # fmt: skip


def model_name(config: str) -> str:
    """What plans call the model: its own name without its maker's."""
    return re.sub(r"\W+", "_", config.partition("__")[2].lower())


def declaration(config: str) -> str:
    """The plan file of a model, from its published config."""
    maker, _, name = config.partition("__")
    reader = READERS["config"]
    assert reader.to_plan_text is not None
    data = (CONFIGS / f"{config}.json").read_bytes()
    text, found = reader.to_plan_text(data, f"{maker}/{name}/config.json", model_name(config), Beside())
    assert text is not None, [each.message for each in found]
    # Library files use each other by path, so that the library can lie anywhere. A config does not say its model's own
    # name (`_name_or_path` is where somebody once read it from): the repository that it was published in does.
    opening = f"model {model_name(config)} {{\n"
    assert opening in text
    named = text.replace(opening, f'{opening}  name = "{maker}/{name}"\n', 1)
    return named.replace("use std\n", 'use "../std.plan"\n', 1)


def path_of(config: str) -> Path:
    """Where the model's file lies."""
    return FOLDER / f"{model_name(config)}.plan"


def write() -> None:
    """Write every model's file."""
    FOLDER.mkdir(exist_ok=True)
    for config in CONFIG_NAMES:
        path_of(config).write_text(declaration(config), encoding="utf-8")


if __name__ == "__main__":
    write()
    sys.stdout.write(f"wrote {len(CONFIG_NAMES)} models\n")
