"""A starter plan for a model: everything that a plan must say, with what nobody has said yet marked as open."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
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
_CACHE_DTYPE: Final = re.compile(r"^ *cache_dtype = (\w+)", re.MULTILINE)
USUAL: Final = "bf16_paged"
ASKED: Final[Mapping[str, tuple[str, ...]]] = {
    "fp8_e4m3": ("fp8_paged", "fp8_ds_mla"),
    "fp4_e2m1": ("vllm.nvfp4_paged",),
}
"""Layouts of the library by the number format in which a checkpoint asks for its cache."""
_WIDTH: Final = 125
"""Columns of a comment."""


class Layout(Struct, frozen=True):
    """How a number of devices is used: tensor-parallel devices, data-parallel parts that spread their experts, and whole
    replicas."""

    tensor: int
    replicas: int
    data: int = 1
    experts_whole: bool = False

    def on_one(self) -> Layout:
        """The same way to use a single device."""
        return Layout(1, 1, experts_whole=self.experts_whole)

    def text(self) -> str:
        """The fields as a plan writes them."""
        data = f"; data = {self.data}" if self.data > 1 else ""
        experts = "; expert_parallel = true" if self.experts_whole else ""
        return f"tensor = {_counted(self.tensor, 'device')}{data}{experts}; replicas = {_counted(self.replicas, 'replica')}"


class Guess(Struct, frozen=True):
    """What a starter plan guesses that not every engine and model go along with."""

    layout: Layout
    cache: str


class Refused(Struct, frozen=True):
    """A guess that came first and does not hold together, as the plan writes it, and the first mistake that says so."""

    written: str
    why: str


class Rests(Struct, frozen=True):
    """What the verdicts of a plan rest on and nobody measured: addresses of ranges, and caveats by name."""

    ranges: Sequence[str] = ()
    caveats: Mapping[str, str] = {}


class StarterCall(Struct, frozen=True):
    """How the plan reads its model: the path of the config, and those of further files by their argument."""

    config: str
    further: Mapping[str, str] = {}

    def text(self) -> str:
        """The call as a plan writes it."""
        named = [f"{key}: {string(path)}" for key, path in self.further.items()]
        return f"config({', '.join([string(self.config), *named])})"


def caches_of(text: str) -> tuple[str, ...]:
    """The caches that a starter plan may have of the model that `text` describes, the first that the engine keeps: what the
    checkpoint asks for, as the plan's engine does by itself (`caching_dtype` of the library), then the usual one. How many
    tokens a block has is left to the engine."""
    found = _CACHE_DTYPE.search(text)
    return (*ASKED.get(found[1] if found else "", ()), USUAL)


def layouts_of(count: int) -> tuple[Layout, ...]:
    """The ways to use a count of devices, the plainest first: one copy up to a node, whole nodes with a copy each beyond; none
    for a count that is neither.

    A copy is cut over all of its devices; else its experts stay whole; else it has parts that share them, as few as hold
    together: each keeps a copy of all the rest.
    """
    if 1 <= count <= NODE:
        copy, replicas = count, 1
    elif count > 0 and count % NODE == 0:
        copy, replicas = NODE, count // NODE
    else:
        return ()
    parts = [data for data in range(1, copy + 1) if copy % data == 0]
    spread = (Layout(copy // data, replicas, data, experts_whole=True) for data in parts)
    return (Layout(copy, replicas), *spread)


def starter_text(
    text: str,
    name: str,
    call: StarterCall,
    device: str,
    guess: Guess,
    uses: Sequence[str] = (),
    refused: Mapping[str, Sequence[Refused]] = {},
    rests: Rests | None = None,
) -> str:
    """The starter plan of the model that `text` describes, as `call` reads it, with the catalogues `uses`.

    `refused` are the guesses that came before this one, by what they are of (`layout`, `cache`).
    """
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
        spread=guess.layout.text(),
        of_spread=_open(_SPREAD + _instead_of(refused.get("layout", ()))),
        cache=guess.cache,
        of_cache=_open(
            (_CACHE if guess.cache == USUAL else _CACHE_ASKED) + _instead_of(refused.get("cache", ())), "  "
        ),
        served=_counted(served, "token"),
        prompt=_counted(prompt, "token"),
        output=_counted(output, "token"),
        mark=MARK,
        of_rests="".join(f"{each}\n" for each in _rests(rests or Rests())),
    )


def reasons(refused: Sequence[Refused]) -> str:
    """Why guesses do not hold together, in the words of the mistakes; those that are alike are told once."""
    by_reason: dict[str, list[str]] = {}
    for each in refused:
        by_reason.setdefault(each.why, []).append(f"`{each.written}`")
    return "; ".join(f"{' and '.join(written)}: {why}" for why, written in by_reason.items())


def _instead_of(refused: Sequence[Refused]) -> str:
    """Why a guess is not the plainest of its sort."""
    return f" Tried before and not taken: {reasons(refused)}." if refused else ""


def _rests(rests: Rests) -> Iterator[str]:
    """What is marked of what the verdicts rest on."""
    if rests.ranges:
        named = ", ".join(f"`{address}`" for address in rests.ranges)
        yield _open(
            f"ranges that the verdict rests on, until you say what your devices and their start-up logs do: {named}."
        )
    for name, text in rests.caveats.items():
        yield _open(f"{name}: {text}")


def _open(text: str, indent: str = "") -> str:
    """A guess in a comment of its own, after its mark, in lines of the width of a plan."""
    words = " ".join(f"{MARK} {text}".split())
    lines = textwrap.wrap(
        words,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent}# ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines)


def starter_words() -> frozenset[str]:
    """The words of starter plans: what they declare, read and say of it."""
    most = Layout(NODE, NODE, NODE, experts_whole=True).text()
    said = re.sub(r"^ *(#|\{mark\}|\{of_).*$|\".*?\"|\{\w+\}", "", _TEXT, flags=re.MULTILINE)
    return frozenset(
        re.findall(r"[^\W\d]\w*", f"{said} {most} {' '.join([*sum(ASKED.values(), ()), USUAL])}")
    )


def _counted(count: int, unit: str) -> str:
    return f"{count:_} {unit}{'' if count == 1 else 's'}"


_SPREAD: Final = "all devices of a node share one copy of the model; more nodes hold further copies."
_CACHE: Final = "keys and values are kept in 16 bits."
_CACHE_ASKED: Final = (
    "keys and values are kept in the narrow format that the checkpoint asks for, as this engine does where it is given no "
    "`--kv-cache-dtype`: look at its start-up log."
)
_TEXT: Final = """\
# A starter plan. Every line under "OPEN" is a guess of this file and not yours: replace what you know, and measure the
# rest. `capwright check` says what holds so far; nothing here is a promise that it fits.
use std
{uses}
model {name} from {call}

{of_spread}
sharding spread {{ {spread} }}

{mark} how many requests there are at once, and how long they are.
workload expected {{
  concurrency = 8 requests
  class typical {{ input = {prompt}; output = {output} }}
}}

deployment prod {{
  model = {name}; device = {device}; sharding = spread; workload = expected
{of_cache}
  cache = {cache}
  {mark} which engine, at which version, and the longest sequence it admits.
  engine = vllm_0_22_1 {{ max_model_len = {served} }}
}}

# The shares of bandwidth and peak that kernels reach, and what the engine spends beside weights and cache, are ranges of the
# library: `capwright explain` names them, and a benchmark of your own replaces them.
{of_rests}{mark} what the plan has to meet.
require prod.kv.peak_reserved <= prod.kv.pool  "the worst mix is admitted without preemption"

report prod.memory, prod.kv, prod.prefill, prod.decode
"""
