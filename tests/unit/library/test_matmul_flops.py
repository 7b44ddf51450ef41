"""Work of matrix products against what PyTorch's counter charges for one forward pass of the published models.

The counter charges attention for all pairs, so the question is put to a study of each model with the mask `full`.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.unit.library.cases import DATA, published
from tests.unit.library.imported import numbers, plan_text

PATH = DATA / "matmul_flops.json"
COUNTED: list[dict[str, Any]] = json.loads(PATH.read_text(encoding="utf-8")) if PATH.is_file() else []
PROJECTIONS = ("aten.mm", "aten.addmm")


def study(text: str, tokens: int) -> str:
    """The plan that asks for the work of `tokens` tokens, each against all."""
    groups = re.findall(r"^ *group (\w+) : (?:grouped_query|sliding|chunked|latent) ", text, re.MULTILINE)
    masks = "; ".join(f"groups.{name}.mask = full" for name in groups)
    n = f"{tokens} tokens"
    return (
        f"{text}\nmodel study from m {{ {masks} }}\n"
        f"projections : FLOP kind work = projection_work(study, {n}) + feed_forward_work(study, {n})"
        f" + router_work(study, {n}) + head_work(study, {n})\n"
        f"pairs_of_keys_and_values : FLOP kind work = model_attention_work(study, {n}, {n})\n"
    )


@pytest.mark.parametrize("row", published(COUNTED, lambda row: f"{row['config']}-{row['tokens']}"))
def test_work_is_what_the_counter_charges(row: dict[str, Any]) -> None:
    text, refusals = plan_text(row["config"])
    assert text is not None, refusals
    got = numbers(study(text, row["tokens"]))
    assert got["projections"] == sum(row["by_op"].get(name, 0) for name in PROJECTIONS)
    assert got["pairs_of_keys_and_values"] == row["by_op"]["aten.bmm"]
    assert got["projections"] + got["pairs_of_keys_and_values"] == row["total"]
