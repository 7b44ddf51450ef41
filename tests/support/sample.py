"""A PlanDoc written by hand: a 70B model on four devices, with every sort of thing a report can show.

The numbers are computed here from the formulas, by an interval evaluator of its own, so that a renderer's
or a decoder's mistake cannot hide in it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from capwright.document import plandoc as d

Tree = dict[str, Any]
Ends = tuple[Fraction | None, Fraction | None, Fraction | None]


def unit(symbol: str, factor: str = "1", **dimension: int) -> d.UnitText:
    return d.UnitText(symbol, factor, dict(sorted(dimension.items())))


PURE = unit("")
PERCENT = unit("%", "1/100")
BYTE = unit("B", byte=1)
GIB = unit("GiB/device", str(2**30), byte=1, device=-1)
PER_TOKEN = unit("B/token", byte=1, token=-1)
PER_TOKEN_DEVICE = unit("B/token/device", byte=1, token=-1, device=-1)
TOKENS = unit("tokens", token=1)
REQUESTS = unit("requests", request=1)
DEVICES = unit("devices", device=1)
LAYERS = unit("layers", layer=1)
HEADS = unit("kv_heads", kv_head=1)
MS = unit("ms", "1/1000", second=1)
BANDWIDTH = unit("TB/s/device", str(10**12), byte=1, second=-1, device=-1)
RATE = unit("GFLOP/s", str(10**9), flop=1, second=-1)
FLOP = unit("FLOP", flop=1)
PAIRS = unit("token^2", token=2)
INTENSITY = unit("FLOP/B", flop=1, byte=-1)
SLOPE = unit("GB/s", str(10**9), byte=1, second=-1)
THROUGHPUT = unit("tokens/s", token=1, second=-1)

PLAN = "plans/examples/sample.plan"
CAVEAT = "not_a_fit_guarantee"


def ref(address: str) -> Tree:
    return {"op": "ref", "address": address}


def const(value: str, text: str, line: int = 7) -> Tree:
    return {"op": "const", "place": f"{PLAN}:{line}", "text": text, "value": value}


def op(name: str, *args: Tree, **more: Any) -> Tree:
    return {"op": name, **dict(sorted({"args": list(args), **more}.items()))}


def _corners(low: Any, high: Any, other_low: Any, other_high: Any, combine: Any) -> tuple[Any, Any]:
    if None in {low, high, other_low, other_high}:
        return (None, None)
    found = [combine(a, b) for a in (low, high) for b in (other_low, other_high)]
    return min(found), max(found)


@dataclass
class Draft:
    """Quantities and sources as they are added; `derive` computes from the tree."""

    quantities: list[d.Quantity] = field(default_factory=list)
    sources: list[d.SourceDoc] = field(default_factory=list)
    values: dict[str, Ends] = field(default_factory=dict)

    def evaluate(self, tree: Tree) -> Ends:
        name = tree["op"]
        if name == "ref":
            return self.values[tree["address"]]
        if name == "const":
            point = Fraction(tree["value"])
            return point, point, point
        args = [self.evaluate(arg) for arg in tree["args"]]
        if name in {"add", "mul", "min", "max"}:
            fold = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b, "min": min, "max": max}[name]
            result = args[0]
            for other in args[1:]:
                result = self._pair(result, other, fold)
            return result
        if name == "sub":
            return self._pair(args[0], args[1], lambda a, b: a - b)
        if name == "div":
            return self._pair(args[0], args[1], lambda a, b: a / b)
        if name == "ceil":
            step = Fraction(tree["step"])
            return tuple(None if x is None else math.ceil(x / step) * step for x in args[0])  # type: ignore[return-value]
        if name == "pow":
            return tuple(None if x is None else x ** tree["exponent"] for x in args[0])  # type: ignore[return-value]
        assert name == "kernel"
        n = args[0][1]
        assert n is not None
        pairs = n * (n + 1) / 2
        return pairs, pairs, pairs

    @staticmethod
    def _pair(a: Ends, b: Ends, combine: Any) -> Ends:
        nominal = None if a[1] is None or b[1] is None else combine(a[1], b[1])
        low, high = _corners(a[0], a[2], b[0], b[2], combine)
        return low, nominal, high

    def put(
        self, address: str, shown: d.UnitText, ends: Ends, sort: str, text: str = "", **more: Any
    ) -> None:
        self.values[address] = ends
        low, nominal, high = (None if x is None else str(x) for x in ends)
        written = more.pop("written", "")
        line = more.pop("line", len(self.quantities) + 3)
        leaf = address.rpartition(".")[2]
        fields = {
            "label": None, "kind": None, "relation": "=", "approximate": False, "loose": False,
            "whole": False, "truth": None, "formula": None, "sources": (), "caveats_here": (),
            "caveats_inherited": (), "discharged": (), "exclusions": (), **more,
        }  # fmt: skip
        self.quantities.append(
            d.Quantity(
                address=address, unit=shown, low=low, nominal=nominal, high=high, written=written,
                provenance=d.Provenance(
                    sort, text, None, f"{PLAN}:{line}", f"{leaf} = {written or nominal}"  # type: ignore[arg-type]
                ), **fields,
            )
        )  # fmt: skip

    def point(
        self, address: str, shown: d.UnitText, value: str, written: str, sort: str = "choice", **more: Any
    ) -> None:
        exact = Fraction(value)
        tree = const(value, written, len(self.quantities) + 3)
        self.put(address, shown, (exact, exact, exact), sort, written=written, formula=tree, **more)

    def assume(
        self,
        address: str,
        shown: d.UnitText,
        low: str,
        nominal: str,
        high: str,
        written: str,
        because: str,
        **more: Any,
    ) -> None:
        ends = (Fraction(low), Fraction(nominal), Fraction(high))
        line = len(self.quantities) + 3
        self.put(
            address, shown, ends, "assumption", because, relation="assume", written=written,
            sources=(address,), **more,
        )  # fmt: skip
        self.sources.append(
            d.SourceDoc(
                address, "assume", *map(str, ends), shown, because, more.get("review", "2027-03"),
                f"{PLAN}:{line}", f"assume {address.rpartition('.')[2]} = {written}", (),
            )
        )  # fmt: skip

    def derive(self, address: str, shown: d.UnitText, tree: Tree, written: str, **more: Any) -> None:
        low, nominal, high = self.evaluate(tree)
        if more.get("relation") == ">=":
            nominal, high = None, None
        if more.get("relation") == "~":
            low, high = None, None
        self.put(address, shown, (low, nominal, high), "derived", written=written, formula=tree, **more)


def _inputs(draft: Draft) -> None:
    config = "configs/llama-3.1-70b.json"
    for name, shown, value in (
        ("layers", LAYERS, "80"), ("kv_heads", HEADS, "8"), ("key_dim", PURE, "128"), ("value_dim", PURE, "128"),
    ):  # fmt: skip
        exact = Fraction(value)
        draft.put(
            f"prod.model.{name}",
            shown,
            (exact,) * 3,
            "imported",
            f"{config}#/{name}",
            written=value,
            whole=True,
        )
    draft.point("prod.cache.element_bytes", BYTE, "2", "2 B", "fact", whole=True)
    draft.point("prod.sharding.tensor", DEVICES, "4", "4 devices", whole=True)
    draft.point("prod.workload.context", TOKENS, "131072", "131_072 tokens", whole=True)
    draft.point("prod.workload.requests", REQUESTS, "3", "3 requests", whole=True)
    draft.point("prod.engine.utilisation", PERCENT, "9/10", "90%")
    draft.point(
        "prod.device.bandwidth", BANDWIDTH, str(3_350 * 10**9), "3.35 TB/s", "fact", text="data sheet"
    )
    draft.assume(
        "prod.device.share", PERCENT, "7/10", "4/5", "9/10", "80% in 70% .. 90%", "stream benchmark, 2026-09"
    )


def _memory(draft: Draft) -> None:
    gib = 2**30
    draft.point("prod.memory.advertised", GIB, str(80 * gib), "80 GiB", "fact", label="Advertised")
    draft.put(
        "prod.memory.visible", GIB, (Fraction(84_929_413_120),) * 3, "fact", "nvidia-smi, 2026-09",
        written="79.0967 GiB", label="What the driver reports",
    )  # fmt: skip
    draft.derive(
        "prod.memory.engine_share", GIB, op("mul", ref("prod.memory.visible"), ref("prod.engine.utilisation")),
        "visible * engine.utilisation", label="The engine's share",
    )  # fmt: skip
    draft.put(
        "prod.memory.weights", GIB, (Fraction(141_107_412_992, 4),) * 3, "fact", "safetensors index",
        written="141_107_412_992 B / 4", label="Weights",
    )  # fmt: skip
    draft.assume(
        "prod.memory.activations", GIB, f"{9 * gib}/5", f"{12 * gib}/5", f"{16 * gib}/5",
        "2.4 GiB in 1.8 GiB .. 3.2 GiB", "range of start-up logs | see `log`", label="Activation peak",
    )  # fmt: skip
    draft.assume(
        "prod.memory.reserve", GIB, f"{2 * gib}/5", f"{3 * gib}/5", f"{9 * gib}/10",
        "0.6 GiB in 0.4 GiB .. 0.9 GiB", "range of start-up logs", label="Outside the framework",
    )  # fmt: skip
    tree = op("sub", op("sub", op("sub", *map(ref, ("prod.memory.engine_share", "prod.memory.weights"))),
              ref("prod.memory.activations")), ref("prod.memory.reserve"))  # fmt: skip
    draft.derive(
        "prod.memory.usable", GIB, tree, "engine_share - weights - activations - reserve", label="Usable pool",
        kind="pool", sources=("prod.memory.activations", "prod.memory.reserve"), caveats_here=(CAVEAT,),
    )  # fmt: skip


def _cache(draft: Draft) -> None:
    m = "prod.model."
    call = op("mul", ref(m + "layers"), ref(m + "kv_heads"), op("add", ref(m + "key_dim"), ref(m + "value_dim")),
              ref("prod.cache.element_bytes"))  # fmt: skip
    draft.derive(
        "prod.kv.bytes_per_token/kv_bytes[full]", PER_TOKEN, call,
        "g.layers * g.kv_heads * (g.key_dim + g.value_dim) * c.element.bytes", internal=True,
        exclusions=("scales",),
    )  # fmt: skip
    draft.derive(
        "prod.kv.bytes_per_token", PER_TOKEN, ref("prod.kv.bytes_per_token/kv_bytes[full]"), "kv_bytes(full)",
        label="Per token, whole deployment", kind="logical_cache", exclusions=("scales",), caveats_here=(CAVEAT,),
    )  # fmt: skip
    draft.derive(
        "prod.kv.per_device", PER_TOKEN_DEVICE,
        op("div", ref("prod.kv.bytes_per_token"), ref("prod.sharding.tensor")), "bytes_per_token / tensor",
        label="Per token and device", kind="stored_cache", caveats_inherited=(CAVEAT,),
    )  # fmt: skip
    draft.derive(
        "prod.kv.blocks", unit("blocks", block=1),
        op("ceil", op("div", ref("prod.workload.context"), const("16", "16 tokens/block")), step="1"),
        "ceil(context / 16 tokens/block)", whole=True,
    )  # fmt: skip
    draft.derive(
        "prod.kv.peak_reserved", GIB,
        op("mul", ref("prod.workload.requests"), ref("prod.workload.context"), ref("prod.kv.per_device")),
        "requests * context * per_device", label="Peak, reserved", kind="pool_demand",
        caveats_inherited=(CAVEAT,),
    )  # fmt: skip


def _time(draft: Draft) -> None:
    draft.derive(
        "prod.decode.step_time", MS,
        op("div", op("add", ref("prod.memory.weights"), ref("prod.kv.peak_reserved")),
           op("mul", ref("prod.device.bandwidth"), ref("prod.device.share"))),
        "(weights + peak_reserved) / (device.bandwidth * device.share)", label="Step time", kind="itl",
        relation=">=", sources=("prod.device.share", "prod.decode.step_time"), exclusions=("kernel overhead",),
        caveats_here=("single_request",), caveats_inherited=(CAVEAT,),
    )  # fmt: skip
    draft.put(
        "prod.decode.throughput", THROUGHPUT, (None, None, Fraction(40)), "derived", relation="=",
        written="requests / step_time", label="Throughput ceiling", loose=True,
    )  # fmt: skip
    draft.put(
        "prod.decode.rule_of_thumb", MS, (None, Fraction(33, 1000), None), "derived", relation="~",
        written="33 ms", label="Rule of thumb",
    )  # fmt: skip
    draft.derive(
        "prod.prefill.pairs", PAIRS,
        op(
            "kernel", ref("prod.workload.context"), ref("prod.workload.context"), function="pairs",
            static=[{"is": "causal", "sort": "mask", "text": "causal", "with": {}}],
        ),
        "pairs(causal, context, context)", label="Permitted pairs", whole=True,
    )  # fmt: skip
    draft.derive(
        "prod.prefill.attention_work", FLOP,
        op("mul", const("2", "2 FLOP"), ref("prod.prefill.pairs"), const("64", "64"),
           op("add", ref("prod.model.key_dim"), ref("prod.model.value_dim")), ref("prod.model.layers")),
        "2 FLOP * pairs * 64 * (key_dim + value_dim) * layers", label="Attention work",
        exclusions=("projections", "feed_forward"),
    )  # fmt: skip
    draft.point("lab.peak", RATE, str(10**12), "1000 GFLOP/s", kind="ceiling", label="Peak")
    draft.point("lab.bandwidth", SLOPE, str(80 * 10**9), "80 GB/s", label="Bandwidth")
    draft.point("lab.intensity", INTENSITY, "8", "8 FLOP/B", label="Intensity")
    draft.derive(
        "lab.attainable", RATE, op("min", ref("lab.peak"), op("mul", ref("lab.intensity"), ref("lab.bandwidth"))),
        "min(peak, intensity * bandwidth)", kind="ceiling", label="Attainable", binds="intensity * bandwidth",
    )  # fmt: skip


def _side(draft: Draft, address: str | None, tree: Tree, written: str) -> d.Side:
    ends = draft.values[address] if address else draft.evaluate(tree)
    low, nominal, high = (None if x is None else str(x) for x in ends)
    return d.Side(written, address, low, nominal, high, tree)


def _minus(a: Fraction | None, b: Fraction | None) -> str | None:
    return None if a is None or b is None else str(a - b)


def _verdict(draft: Draft, name: str, left: str, right: Tree | str, status: str, shown: d.UnitText, label: str,
             **more: Any) -> d.VerdictDoc:  # fmt: skip
    tree = ref(right) if isinstance(right, str) else right
    a = _side(draft, left, ref(left), left)
    b = _side(
        draft,
        right if isinstance(right, str) else None,
        tree,
        right if isinstance(right, str) else right["text"],
    )
    lows, highs = draft.values[left], draft.evaluate(tree)
    fields = {
        "opened_by": None, "opened_line": None, "closed_by": None, "strict": False, "leans_on": (),
        "caveats": (CAVEAT,), "verb": "require", **more,
    }  # fmt: skip
    return d.VerdictDoc(
        id=name, label=label, written=f"{a.written} <= {b.written}", comparison="<=", status=status,  # type: ignore[arg-type]
        left=a, right=b, unit=shown, margin_low=_minus(highs[0], lows[2]),
        margin_nominal=_minus(highs[1], lows[1]), margin_high=_minus(highs[2], lows[0]),
        place=f"{PLAN}:{60 + len(name)}", line=f'require {a.written} <= {b.written} "{label}"', **fields,
    )  # fmt: skip


def _verdicts(draft: Draft) -> tuple[d.VerdictDoc, ...]:
    leaning = ("prod.memory.activations", "prod.memory.reserve")
    return (
        _verdict(draft, "peak_in_pool", "prod.kv.peak_reserved", "prod.memory.usable", "holds", GIB,
                 "the worst mix is admitted without preemption", leans_on=leaning),
        _verdict(draft, "interactive", "prod.decode.step_time", const("1/25", "40 ms"), "not established", MS,
                 "interactive", opened_by="prod.decode.step_time", opened_line="step_time >= traffic / rate",
                 closed_by="a measurement of prod.decode.step_time at this workload"),
        _verdict(draft, "snappy", "prod.decode.step_time", const("1/100", "10 ms"), "violated", MS,
                 "snappy", leans_on=("prod.device.share",)),
    )  # fmt: skip


def _used_by(draft: Draft) -> tuple[d.SourceDoc, ...]:
    return tuple(
        replace(source, used_by=tuple(q.address for q in draft.quantities if source.id in q.sources))
        for source in draft.sources
    )


def _views() -> tuple[d.ViewDoc, ...]:
    m = "prod.memory."
    return (
        d.ViewDoc("waterfall", "waterfall", "From advertised memory to the usable pool", "prod.memory",
                  tuple(m + x for x in ("advertised", "visible", "engine_share", "weights", "activations",
                                        "reserve", "usable"))),
        d.ViewDoc("bars", "demand", "Demand beside the pool", "prod.kv", ("prod.kv.peak_reserved", m + "usable")),
        d.ViewDoc("ceiling", "roofline", "Roofline", "lab",
                  ("lab.peak", "lab.bandwidth", "lab.intensity", "lab.attainable")),
    )  # fmt: skip


def _sections() -> tuple[d.SectionDoc, ...]:
    def section(path: str, title: str, names: str) -> d.SectionDoc:
        return d.SectionDoc(path, title, tuple(f"{path}.{name}" for name in names.split()))

    return (
        section("prod.memory", "Memory, down to the usable pool",
                "advertised visible engine_share weights activations reserve usable"),
        section("prod.kv", "Cache", "bytes_per_token per_device blocks peak_reserved"),
        section("prod.prefill", "Prefill", "pairs attention_work"),
        section("prod.decode", "Decode", "step_time throughput rule_of_thumb"),
        section("lab", "Roofline lab (hypothetical)", "peak bandwidth intensity attainable"),
    )  # fmt: skip


def sample() -> d.PlanDoc:
    """The document."""
    draft = Draft()
    for part in (_inputs, _memory, _cache, _time):
        part(draft)
    everywhere = tuple(q.address for q in draft.quantities if CAVEAT in q.caveats_here + q.caveats_inherited)
    return d.PlanDoc(
        title="Llama 3.1 70B, long context", path=PLAN, tool_version="0.1.0", tool_sha256="a1" * 32,
        library_sha256="b2" * 32,
        inputs=(d.InputDoc(PLAN, "c3" * 32, "plan"), d.InputDoc("configs/llama-3.1-70b.json", "d4" * 32, "config")),
        quantities=tuple(draft.quantities), sources=_used_by(draft),
        caveats=(
            d.CaveatDoc(CAVEAT, "capacity", "not a fit guarantee: validate with this workload on this serving "
                        "configuration", True, everywhere),
            d.CaveatDoc("single_request", "time", "one request alone; says nothing of a loaded system", False,
                        ("prod.decode.step_time",)),
        ),
        verdicts=_verdicts(draft),
        measurements=(
            d.MeasurementDoc("prod.decode.step_time!load_2026_09", "prod.decode.step_time", "317/10000", "319/10000",
                             "321/10000", MS, {"engine": "vllm@0.10.1", "arrival": "closed loop, 1 request"},
                             "gap closed", f"{PLAN}:80", "measure prod.decode.step_time = 31.9 ms"),
        ),
        evidence=(
            d.EvidenceDoc("needle", "prod.cache", {"task": "needle retrieval", "length": "131072"}, ("quality",), False,
                          "it was taken at another length", f"{PLAN}:88"),
        ),
        sections=_sections(), views=_views(),
        options=(d.OptionDoc("prod@tp8", "prod", "Eight devices", ("prod.sharding.tensor = 8 devices",)),),
        moved=(d.MovedDoc("prod.kv.old", "prod.kv.peak_reserved"),),
        diagnostics=(
            d.DiagnosticDoc("CW0501", "warning", "`prod.decode.step_time <= 40 ms` is not established",
                            "measure prod.decode.step_time at this workload", f"{PLAN}:71",
                            "require prod.decode.step_time <= 40 ms", 9, ("the high end is open",)),
        ),
        kinds={"pool": "usable pool", "pool_demand": "demand on the pool", "itl": "inter-token latency",
               "ceiling": "bare ceiling", "logical_cache": "logical cache", "stored_cache": "stored cache"},
    )  # fmt: skip
