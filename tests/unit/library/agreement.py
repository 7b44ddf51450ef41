"""How far the library agrees with systems that nobody here wrote: counts of equal, explained and refused by source."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from capwright.importers.cache_question import Question, question
from tests.unit.importers.test_real_configs import DEFAULTS_COUNTED, counts
from tests.unit.library import heads
from tests.unit.library import test_allocator as allocator
from tests.unit.library.cases import Case, read_cases
from tests.unit.library.checkpoints import GIB, KNOWN, UNCOUNTED, allowed, counted_bytes, rows, size_of
from tests.unit.library.imported import CONFIGS, numbers, plan_text, table, words
from tests.unit.library.test_cached_bytes import LENGTHS, NO_TARGET
from tests.unit.library.test_matmul_flops import COUNTED, PROJECTIONS, study

CASES: Final = (
    ("0_10_1", "vLLM 0.10.1", allocator.test_vllm_0_10_1_answers_alike),
    ("0_22_1", "vLLM 0.22.1", allocator.test_vllm_0_22_1_answers_alike),
)


@dataclass
class Source:
    """One source: how many of its rows came out equal, and what is said of every other row."""

    name: str
    what: str
    equal: int = 0
    others: list[tuple[str, str]] = field(default_factory=list)

    def judge(self, row: str, *, equal: bool, otherwise: str) -> None:
        """Count a row as equal, or note what is said of it."""
        if equal:
            self.equal += 1
        else:
            self.others.append((row, otherwise))


def sources() -> Iterator[Source]:
    """Every source of the data, row by row."""
    yield configs()
    yield parameters()
    yield cached_bytes()
    yield head_counts()
    yield checkpoint_sizes()
    yield matrix_products()
    for version, name, alike in CASES:
        source = Source(f"vllm_{version}_allocator.json", f"every field of {name}'s own allocator")
        for case in read_cases(version):
            source.judge(str(case["model"]), equal=_answers_alike(case, alike), otherwise="DIFFERS")
        yield source


def _answers_alike(case: Case, alike: Callable[[Case, Path], None]) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        try:
            alike(case, Path(folder))
        except AssertionError:
            return False
    return True


def configs() -> Source:
    """Published configs that import."""
    source = Source("hf_configs", "configs that import; the others are refused with what to declare")
    for path in sorted(Path(CONFIGS).glob("*.json")):
        text, refusals = plan_text(path.stem)
        source.judge(path.stem, equal=text is not None, otherwise="refused: " + "; ".join(refusals))
    return source


def parameters() -> Source:
    """Parameters of the models that configs build."""
    source = Source("param_counts.tsv", "parameters of the model that the library builds, to the parameter")
    for row in table("param_counts.tsv"):
        name = row["config"]
        text, refusals = plan_text(name)
        if text is None:
            source.judge(name, equal=False, otherwise="refused: " + "; ".join(refusals))
        elif row["status"] != "ok":
            source.judge(
                name,
                equal=False,
                otherwise="the library that counted the others does not build it: no answer to agree with",
            )
        else:
            wanted = int(row["total_params"]) - int(row["vision_audio_params"] or 0)
            apart = DEFAULTS_COUNTED.get(name)
            equal = apart is None and counts(name)["text_parameters"] == wanted
            why = (
                "the row counts defaults of its class and not the file's own keys"
                if apart
                else f"DIFFERS from {wanted}"
            )
            source.judge(name, equal=equal, otherwise=why)
    return source


def cached_bytes() -> Source:
    """Bytes that the transformers library caches, at three lengths."""
    source = Source("kv_crosscheck.tsv", "cached bytes at 300, 5,000 and 20,000 tokens, to the byte")
    for row in table("kv_crosscheck.tsv"):
        why = NO_TARGET.get(row["model_class"])
        source.judge(row["config"], equal=why is None and _cached_alike(row), otherwise=why or "DIFFERS")
    return source


def _cached_alike(row: dict[str, str]) -> bool:
    text, _ = plan_text(row["config"])
    if text is None:
        return False
    found = question(text, LENGTHS[0], "bf16", "transformers", words())
    assert isinstance(found, Question)
    more = "".join(
        f"holding asked_{n} {{ model = m; cache = asked_cache; engine = asked_engine; tokens = {n} tokens }}\n"
        for n in LENGTHS
    )
    got = numbers(f"{found.text}\n{more}")
    return all(got[f"asked_{n}.total"] == int(row[f"cache_bytes_{n}_tokens_bf16"]) for n in LENGTHS)


def head_counts() -> Source:
    """Heads, sizes and experts that an engine's own tests expect."""
    source = Source(heads.TABLE, "heads, sizes and experts that vLLM's own tests expect, in every column")
    for row in heads.ROWS:
        model = row["model"]
        if model in heads.NOT_AT_HAND:
            source.judge(model, equal=False, otherwise="its config is not at hand")
            continue
        found = heads.differences(row)
        column, why = heads.APART.get(model, ("", ""))
        known = found.keys() == {column}
        otherwise = f"{column}: {why}; the rest is equal" if known else f"DIFFERS in {', '.join(found)}"
        source.judge(model, equal=not found, otherwise=otherwise)
    return source


def checkpoint_sizes() -> Source:
    """Bytes of published checkpoints."""
    source = Source(
        "checkpoint_sizes.tsv", "bytes of published checkpoints, inside the rounding and the files' headers"
    )
    for row in rows():
        name, size = row["name"], size_of(row)
        published = KNOWN.get(name)
        if published is None:
            source.judge(name, equal=False, otherwise="no config at hand that describes it")
            continue
        below = size / published.times - float(counted_bytes(name) + published.besides) / GIB
        least, most = allowed(published, size / published.times)
        why = UNCOUNTED.get(name) or published.why or "DIFFERS"
        explained = name in UNCOUNTED or bool(published.why)
        source.judge(
            name,
            equal=not explained and least <= below <= most,
            otherwise=f"explained: {why}" if explained else why,
        )
    return source


def matrix_products() -> Source:
    """Work of matrix products."""
    source = Source("matmul_flops.json", "operations of matrix products in one pass, to the operation")
    for row in COUNTED:
        text, _ = plan_text(row["config"])
        assert text is not None
        source.judge(f"{row['config']} at {row['tokens']}", equal=_work_alike(text, row), otherwise="DIFFERS")
    return source


def _work_alike(text: str, row: dict[str, Any]) -> bool:
    got = numbers(study(text, row["tokens"]))
    return (
        got["projections"] == sum(row["by_op"].get(name, 0) for name in PROJECTIONS)
        and got["pairs_of_keys_and_values"] == row["by_op"]["aten.bmm"]
    )
