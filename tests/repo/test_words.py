"""The domain lives in the library: no domain word in the grammar, nor in Python outside two rooms."""

from __future__ import annotations

import re

import pytest

from tests.repo.sources import PACKAGE, ROOT, modules, tracked

DOMAIN = re.compile(
    r"(?<![a-z])(?:kv|gqa|mla|mha|heads?(?=_dim)|(?:kv|q|query|key)_?heads?|attention(?=[_ ](?:mask|head|layer|kernel|window|score))|prefill|sliding|paged|gpus?|"
    r"h100|mi300x|nvidia|amd|vllm|sglang|llama|qwen|mistral|deepseek|mamba|rope|lora|moe|logits?|"
    r"transformer|bf16|fp16|fp8|int4|nvlink|hbm|tensor_parallel|speculative|chunked_prefill|roofline|"
    r"layers_per|sequence_parallel|expert|rag|chatbot)(?![a-z])",
    re.IGNORECASE,
)
GRAMMAR_ONLY = re.compile(
    r"(?<![a-z])(?:head|cache|mask|layer|token|byte|device|model|engine|workload|deployment|sharding)s?(?![a-z])",
    re.IGNORECASE,
)


def mentions(text: str, *patterns: re.Pattern[str]) -> list[str]:
    return [
        f"line {number}: {match[0]}"
        for number, line in enumerate(text.splitlines(), 1)
        for pattern in patterns
        for match in pattern.finditer(line)
    ]


@pytest.mark.parametrize(
    "path", modules(without=("kernel", "importers")), ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_python_does_not_know_the_domain(path):
    assert mentions(path.read_text(encoding="utf-8"), DOMAIN) == []


def test_the_grammar_does_not_know_the_domain():
    assert mentions((ROOT / "grammar" / "plan.lark").read_text(encoding="utf-8"), DOMAIN, GRAMMAR_ONLY) == []


def test_a_domain_word_is_noticed():
    assert mentions("kv_heads = 8", DOMAIN)
    assert mentions("# the KV cache", DOMAIN)
    assert not mentions("average; ahead; storage; repropel", DOMAIN)


MACHINE = re.compile(r"(?<![\w.}])/(?:work|tmp|root|home)\b")
TEXTS = {".py", ".md", ".toml", ".plan", ".lark", ".json", ".html", ".css", ".svg", ".j2", ".yml", ""}


def test_no_file_names_a_machine():
    here = "tests/repo/test_words.py"
    found = {
        str(path.relative_to(ROOT)): mentions(path.read_text(encoding="utf-8"), MACHINE)
        for path in tracked()
        if path.suffix in TEXTS and str(path.relative_to(ROOT)) != here
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_no_marker_of_unfinished_work_is_left():
    marker = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b")
    found = {
        str(path.relative_to(ROOT)): mentions(path.read_text(encoding="utf-8"), marker)
        for path in tracked()
        if path.suffix in TEXTS
    }
    assert {name: lines for name, lines in found.items() if lines} == {}
