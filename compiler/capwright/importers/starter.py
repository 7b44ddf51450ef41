"""A starter plan for a model: everything that a plan must say, with what nobody has said yet marked as open."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from capwright.importers.words import string

NODE: Final = 8
"""Devices of a node: tensor parallelism is taken within one, whole replicas beyond."""
SERVED: Final = 32_768
PROMPT: Final = 4_000
OUTPUT: Final = 500
MARK: Final = "# OPEN:"
"""What stands before every guess of a starter plan."""
_CONTEXT: Final = re.compile(r"^ *max_context = ([\d_]+) token", re.MULTILINE)


class Layout(Struct, frozen=True):
    """How a number of devices is used: tensor-parallel devices, and whole replicas."""

    tensor: int
    replicas: int


class StarterCall(Struct, frozen=True):
    """How the plan reads its model: the path of the config, and those of further files by their argument."""

    config: str
    further: Mapping[str, str] = {}

    def text(self) -> str:
        """The call as a plan writes it."""
        named = [f"{key}: {string(path)}" for key, path in self.further.items()]
        return f"config({', '.join([string(self.config), *named])})"


def layout_of(count: int) -> Layout | None:
    """One tensor-parallel group up to a node; whole nodes beyond; None for a count that is neither."""
    if 1 <= count <= NODE:
        return Layout(count, 1)
    return Layout(NODE, count // NODE) if count > 0 and count % NODE == 0 else None


def starter_text(
    text: str, name: str, call: StarterCall, device: str, layout: Layout, uses: Sequence[str] = ()
) -> str:
    """The starter plan of the model that `text` describes, as `call` reads it, with the catalogues `uses`."""
    found = _CONTEXT.search(text)
    longest = int(found[1].replace("_", "")) if found else SERVED
    served = min(longest, SERVED)
    prompt = max(1, min(PROMPT, served // 2))
    output = max(1, min(OUTPUT, served - prompt))
    return _TEXT.format(
        name=name,
        call=call.text(),
        uses="".join(f"use {catalogue}\n" for catalogue in uses),
        device=device,
        tensor=_counted(layout.tensor, "device"),
        replicas=_counted(layout.replicas, "replica"),
        served=_counted(served, "token"),
        prompt=_counted(prompt, "token"),
        output=_counted(output, "token"),
        mark=MARK,
    )


def starter_words() -> frozenset[str]:
    """The words of a starter plan: what it declares, reads and says of it."""
    said = re.sub(r"^ *(#|\{mark\}).*$|\".*?\"|\{\w+\}", "", _TEXT, flags=re.MULTILINE)
    return frozenset(re.findall(r"[^\W\d]\w*", said))


def _counted(count: int, unit: str) -> str:
    return f"{count:_} {unit}{'' if count == 1 else 's'}"


_TEXT: Final = """\
# A starter plan. Every line under "OPEN" is a guess of this file and not yours: replace what you know, and measure the
# rest. `capwright check` says what holds so far; nothing here is a promise that it fits.
use std
{uses}
model {name} from {call}

{mark} all devices of a node share one copy of the model; more nodes hold further copies.
sharding spread {{ tensor = {tensor}; replicas = {replicas} }}

{mark} how many requests there are at once, and how long they are.
workload expected {{
  concurrency = 8 requests
  class typical {{ input = {prompt}; output = {output} }}
}}

deployment prod {{
  model = {name}; device = {device}; sharding = spread; workload = expected
  {mark} keys and values are kept in 16 bits.
  cache = bf16_paged
  {mark} which engine, at which version, and the longest sequence it admits.
  engine = vllm_0_22_1 {{ max_model_len = {served} }}
}}

# The shares of bandwidth and peak that kernels reach, and what the engine spends beside weights and cache, are ranges of the
# library: `capwright explain` names them, and a benchmark of your own replaces them.
{mark} what the plan has to meet.
require prod.kv.peak_reserved <= prod.kv.pool  "the worst mix is admitted without preemption"

report prod.memory, prod.kv, prod.prefill, prod.decode
"""
