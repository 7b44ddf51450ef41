"""Plans to compare: an example under edits, compiled once each, and small plans of a shape that a law can vary."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from capwright.comparison.causes import shapley
from capwright.compiling import compile_plan
from capwright.document.diffdoc import DiffDoc
from capwright.document.plandoc import PlanDoc
from capwright.loading import load

SHAPES = """\
unit byte, bytes symbol B
entity shape { v : byte }
entity square : shape { }
entity round : shape { edge : byte }
formula area(s: shape) : byte
formula area(s: square) : byte = s.v
formula area(s: round) : byte = s.v + s.edge
"""
"""Two kinds of one thing, with a formula that each has its own way of."""

EXAMPLE = "plans/examples/llama-3.1-70b-long-context.plan"

Edit = tuple[str, str]
DEVICE: Edit = ("device = h100;", "device = amd.mi300x;")
CACHE: Edit = ("cache = pages_bf16;", "cache = pages_fp8;")
TENSOR: Edit = ("tensor = 4 devices", "tensor = 8 devices")
REQUESTS: Edit = ("concurrency = 3 requests", "concurrency = 4 requests")
SHARE: Edit = ("gpu_memory_utilization = 0.90", "gpu_memory_utilization = 0.85")
RANGE: Edit = ("0.80 in 0.70 .. 0.90", "0.80 in 0.75 .. 0.85")
ORIGIN: Edit = ("from nvidia.h100_sxm", "from nvidia.h200_sxm")
ELEMENT: Edit = ("paged { element = bf16;", "paged { element = fp8_e4m3;")
CLASS: Edit = (
    "  class dossier",
    "  class letter { share = 0%; input = 3_000 tokens; output = 100 tokens }\n  class dossier",
)
LIMIT: Edit = ("itl <= 40 ms", "itl <= 20 ms")
# What follows changes which formulas and branches there are, not only numbers in them.
STAGES: Edit = ("tensor = 4 devices", "tensor = 4 devices; stages = 2 stages")
DATA: Edit = ("tensor = 4 devices", "tensor = 4 devices; data = 2")
REPLICAS: Edit = ("tensor = 4 devices", "tensor = 4 devices; replicas = 2 replicas")
PREFIX: Edit = ("input = 60_000 tokens;", "input = 60_000 tokens; shared_prefix = 8_000 tokens;")
ENGINE: Edit = ("engine = vllm_0_10_1 {", "engine = vllm_0_22_1 {")
EAGER: Edit = (
    "gpu_memory_utilization = 0.90",
    "gpu_memory_utilization = 0.90; hybrid_kv_cache_manager = false",
)
LETTERS: Edit = (
    "  class summary { share = 70%;",
    "  class note { share = 30%; input = 3_000 tokens; output = 100 tokens }\n  class summary { share = 40%;",
)
EDITS = {
    "device": DEVICE, "cache": CACHE, "tensor": TENSOR, "requests": REQUESTS, "share": SHARE, "range": RANGE,
    "origin": ORIGIN, "element": ELEMENT, "class": CLASS, "limit": LIMIT, "prefix": PREFIX, "engine": ENGINE,
    "letters": LETTERS,
}  # fmt: skip
"""Edits that can be made in any number."""
ALONE = {"stages": STAGES, "data": DATA, "replicas": REPLICAS, "eager": EAGER}
"""Edits that another one leaves no place for."""


@cache
def example() -> str:
    with open(EXAMPLE, encoding="utf-8") as file:
        return file.read()


@cache
def edited(*names: str) -> PlanDoc:
    """The example's document under edits, by name."""
    text = example()
    for name in names:
        before, after = (EDITS | ALONE)[name]
        assert before in text, name
        text = text.replace(before, after)
    return document(text)


@cache
def document(text: str, path: str = EXAMPLE) -> PlanDoc:
    """The document of a text that stands in for the plan at `path`."""
    compiled = compile_plan(load(path, root=".", texts={path: text}))
    errors = [d.message for d in compiled.diagnostics if d.severity == "error"]
    assert not errors, errors
    return compiled.sound


def made(text: str, edits: tuple[Edit, ...]) -> list[PlanDoc]:
    """The documents of a small plan under every coalition of edits, by bit mask. Each edit is of one place."""
    docs = []
    for coalition in range(1 << len(edits)):
        under = text
        for at, (before, after) in enumerate(edits):
            assert text.count(before) == 1, before
            under = under.replace(before, after) if coalition >> at & 1 else under
        docs.append(document(under))
    return docs


def true_parts(docs: list[PlanDoc], address: str) -> tuple[Fraction, ...]:
    """What each edit has in a number, from the number in the documents of every coalition."""
    held = [next(q for q in doc.quantities if address in (q.address, *q.aliases)) for doc in docs]
    return tuple(map(Fraction, shapley([Fraction(q.nominal or 0) for q in held])))


def told(diff: DiffDoc, address: str) -> dict[tuple[str, ...], Fraction]:
    """What a comparison says that declarations, by their addresses, have in a number."""
    named = {d.id: d.address for d in diff.declarations}
    change = next(q.change for q in diff.quantities if q.address == address)
    return {tuple(sorted(named[i] for i in c.declarations)): Fraction(c.share) for c in change.causes}
