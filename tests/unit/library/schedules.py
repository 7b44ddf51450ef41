"""Schedules by brute force: which batch goes into which stage when, with nothing but the bytes that it must move."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random

WIDTH = 2  # bytes of a scalar
BANDWIDTH = 10**12  # bytes a second of a device
BLOCK = 16  # tokens of a block


@dataclass(frozen=True)
class Class:
    """Requests of one sort: fixed lengths, and how many of a hundred they are."""

    share: int
    input: int
    output: int
    prefix: int

    @property
    def found(self) -> int:
        """What a prompt finds of the prefix: whole blocks, and its last token is computed anew."""
        return min(self.prefix, self.input - 1) // BLOCK * BLOCK


@dataclass(frozen=True)
class Served:
    """What is served: a model of alternating full and other layers, and where it lies."""

    layers: int
    other: str  # the second layer of every two: grouped_query, sliding or chunked
    window: int
    kv_heads: int
    dim: int
    weights: int  # parameters of a layer
    experts: int  # parameters of a layer's expert; four of them, of which a token takes two; 0 for none
    stages: int
    data: int
    replicas: int
    concurrency: int
    classes: tuple[Class, ...]
    blocks: int = 0  # of the pool; 0 for more than is ever needed
    seqs: int = 0  # requests that each part runs at once; 0 for more than there ever are

    def plan(self) -> str:
        """The same, as a plan with a deployment `d` whose devices compute in no time."""
        half = self.layers // 2
        heads = (
            f"q_heads = {self.kv_heads} q_heads; kv_heads = {self.kv_heads} kv_heads; key_dim = {self.dim}"
        )
        window = "" if self.other == "grouped_query" else f"; window = {self.window} tokens"
        expert = (
            f"  tensor experts {{ part = expert; parameters = {self.experts} parameters; copies = {self.layers}; "
            "experts = 4; active_experts = 2 }\n"
            if self.experts
            else ""
        )
        classes = "".join(
            f"  class c{at} {{ share = {c.share}%; input = {c.input} tokens; output = {c.output} tokens; "
            f"shared_prefix = {c.prefix} tokens }}\n"
            for at, c in enumerate(self.classes)
        )
        return f"""use std
model m {{
  hidden_size = 64; vocabulary = 1_000; max_context = 1_000_000 tokens; dtype = bf16
  group one : grouped_query {{ layers = {half} layers; first = 0; run = 1; every = 2; {heads} }}
  group two : {self.other} {{ layers = {half} layers; first = 1; run = 1; every = 2; {heads}{window} }}
  tensor all {{ part = feed_forward; parameters = {self.weights} parameters; copies = {self.layers} }}
{expert}}}
workload w {{
  concurrency = {self.concurrency} requests
{classes}}}
device fast {{ memory = 80 GB/device; bandwidth = {BANDWIDTH} byte/s/device; peak = 1_000_000_000 TFLOP/s/device }}
sharding spread {{ stages = {self.stages} stages; data = {self.data}; replicas = {self.replicas} replicas; expert_parallel = {str(self.experts > 0).lower()} }}
deployment d {{ model = m; cache = bf16_paged; device = fast; sharding = spread; workload = w; engine = vllm_0_22_1 {{ max_model_len = 100_000 tokens; num_gpu_blocks_override = {self.blocks} blocks; max_num_seqs = {self.seqs} requests }} }}
"""

    def stage_layers(self, stage: int) -> range:
        """The layers of a stage: what does not divide goes to the stages before the last."""
        size, rest = divmod(self.layers, self.stages)
        sizes = [size + (self.stages - 1 - rest <= at < self.stages - 1) for at in range(self.stages)]
        start = sum(sizes[:stage])
        return range(start, start + sizes[stage])

    def row_bytes(self) -> int:
        return 2 * self.kv_heads * self.dim * WIDTH

    def rows(self, layer: int, tokens: int) -> int:
        """The rows of a layer that the next token of a sequence moves."""
        if layer % 2 == 0 or self.other == "grouped_query":
            return tokens
        return min(tokens, self.window) if self.other == "sliding" else tokens % self.window

    def own_bytes(self, stage: int, tokens: int, prefix: int) -> int:
        """What a request of `tokens` reads in a stage, without the rows that are also another's."""
        return sum(self.own_rows(n, tokens, prefix) for n in self.stage_layers(stage)) * self.row_bytes()

    def own_rows(self, layer: int, tokens: int, prefix: int) -> int:
        """Of these, those that lie behind the prefix. A window that is full has the token itself in it, whose row is written."""
        rows = self.rows(layer, tokens)
        if layer % 2 == 1 and self.other == "sliding" and tokens >= self.window:
            return rows - max(0, prefix - (tokens + 1 - self.window))
        return min(rows, tokens - prefix)

    def weight_bytes(self, stage: int) -> int:
        return len(self.stage_layers(stage)) * self.weights * WIDTH

    def expert_bytes(self, stage: int) -> int:
        """On the device that has most of the two experts that a batch needs at least."""
        return len(self.stage_layers(stage)) * self.experts * WIDTH * -(-2 // self.data)


class _Unit:
    """A replica in which batches run: of each stage when it is free, of each request where and when it is ready."""

    def __init__(
        self, served: Served, requests: list[Class], seats: int, room: Fraction | None, rng: Random
    ) -> None:
        self.served, self.room, self.rng = served, room, rng
        self.waiting = list(requests)
        self.free = [Fraction(0)] * served.stages
        self.running: list[_Request] = []
        for _ in range(seats):
            self._seat(Fraction(0))
        self.end = Fraction(0)

    def _seat(self, now: Fraction) -> None:
        """One more of those that wait, in a part that does not run as many as it may."""
        seqs = self.served.seqs or len(self.running) + 1
        parts = [part for part in range(self.served.data) if sum(r.part == part for r in self.running) < seqs]
        if self.waiting and parts:
            part = self.rng.choice(parts)
            self.running.append(_Request(self.waiting.pop(), part, now))

    def run(self, most: int) -> Fraction:
        """When all are served, with batches of `most` requests if so many are ready."""
        while self.running:
            ready = [(max(r.ready, self.free[r.stage]), r.stage) for r in self.running]
            now, stage = min(ready)
            there = [r for r in self.running if r.stage == stage and r.ready <= now]
            self._pass(now, stage, self._held(stage, self.rng.sample(there, min(len(there), most))))
        return self.end

    def _held(self, stage: int, batch: list[_Request]) -> list[_Request]:
        """As many of these as the pools hold in this pass, one at least: what waits gives up its room for nothing."""
        if self.room is None:
            return batch
        kept: list[_Request] = []
        held = [0] * self.served.data
        for request in batch:
            own = request.bytes(self.served, stage)
            if not kept or held[request.part] + own <= self.room:
                kept.append(request)
                held[request.part] += own
        return kept

    def _pass(self, now: Fraction, stage: int, batch: list[_Request]) -> None:
        """All parts go through a stage together, each with its own requests."""
        served = self.served
        moved = [0] * served.data
        for request in batch:
            moved[request.part] += request.bytes(served, stage)
        parts = {request.part for request in batch}
        slowest = max(served.weight_bytes(stage) + moved[part] for part in parts)
        until = now + Fraction(slowest + served.expert_bytes(stage), BANDWIDTH)
        self.free[stage] = self.end = until
        for request in batch:
            request.leave(served, until)
            if request.done == request.sort.output:
                self.running.remove(request)
                self._seat(until)


class _Request:
    def __init__(self, sort: Class, part: int, ready: Fraction) -> None:
        self.sort, self.part, self.ready = sort, part, ready
        self.stage = self.done = 0

    def bytes(self, served: Served, stage: int) -> int:
        """The pass of the prompt's last token is granted for its weights alone."""
        if self.done == 0:
            return 0
        return served.own_bytes(stage, self.sort.input + self.done - 1, self.sort.found)

    def leave(self, served: Served, now: Fraction) -> None:
        self.ready, self.stage = now, self.stage + 1
        if self.stage == served.stages:
            self.stage, self.done = 0, self.done + 1


def rate(
    served: Served, rounds: int, seed: int, *, sorted_out: bool, room: Fraction | None = None
) -> Fraction:
    """Output tokens a second of one schedule, in which the mix comes `rounds` times.

    `sorted_out` sends long requests to other replicas than short ones, else they are dealt. `room`: the bytes of a
    device's pool, in which the requests of a pass must lie.
    """
    rng = Random(seed)
    requests = [c for c in served.classes for _ in range(c.share * rounds // 10)]
    rng.shuffle(requests)
    if sorted_out:
        requests.sort(key=lambda c: c.input)
    share = Fraction(rng.choice([1, 2, 3, 4]), 4) / rng.choice([1, served.stages])
    cuts = _cut(len(requests), served.replicas, rng, even=not sorted_out)
    seats = _cut(served.concurrency, served.replicas, rng, even=not sorted_out)
    ends, start = [], 0
    for count, few in zip(cuts, seats, strict=True):
        unit = _Unit(served, requests[start : start + count], few, room, rng)
        ends.append(unit.run(max(1, round(few * share))))
        start += count
    return Fraction(sum(r.output for r in requests)) / max(ends)


def _cut(count: int, parts: int, rng: Random, *, even: bool) -> list[int]:
    """`count` in `parts`, each with one at least."""
    if even:
        return [count // parts + (at < count % parts) for at in range(parts)]
    marks = sorted(rng.sample(range(1, count), parts - 1))
    return [b - a for a, b in zip([0, *marks], [*marks, count], strict=True)]
