"""The methods of quantisation that configs name, each read into rules: which modules are stored in which way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from capwright.base.source import Span
from capwright.importers import quantisation_schemes as schemes
from capwright.importers.config_keys import Config
from capwright.importers.descriptions import Description
from capwright.importers.json_places import Path, place
from capwright.importers.module_names import Names, Tries, Unreadable, Way, readable
from capwright.importers.quantisation_schemes import Senseless, Stored
from capwright.importers.words import quoted


class Rule(Struct, frozen=True):
    """Modules that are stored in one way; None leaves them as the model's dtype says. Without names, all of them.
    A rule that `halves` is no way of its own: of what it means, two numbers of four are stored, with `beside` bytes more."""

    stored: Stored | None
    names: Names | None = None
    parts: frozenset[str] = frozenset()
    halves: bool = False
    beside: int = 0
    but: Names | None = None

    def means(self, names: list[str], part: str, tries: Tries) -> bool:
        """Whether a tensor of this part, whose modules may have these names, is meant."""
        if self.parts and part not in self.parts:
            return False
        if self.but is not None and self.but.hold(names, tries):
            return False
        return self.names is None or self.names.hold(names, tries)


class Reading(Struct):
    """One statement of a quantisation under way: the config, where in it (or in which other file) it stands."""

    config: Config
    where: Path
    given: Mapping[str, Any]
    dtype: str
    description: Description
    file: tuple[str, str] | None = None

    def span(self, *path: str | int) -> Span:
        """The place of a value below the statement."""
        whole = (*self.where, *path)
        return self.config.locate(whole) if self.file is None else place(*self.file, whole)

    def warn(self, code: str, span: Span, message: str, help: str) -> None:
        self.config.say_at(code, span, message, help, severity="warning")

    def unknown(self, what: str, name: str) -> None:
        message = f"{what} {quoted(name)} is not known here: those weights are counted as {self.dtype}"
        help = "give the tensors that are quantised their dtype and scales: `tensors.gate_up.dtype = int4`"
        self.warn("CW0630", self.span(), message, help)

    def left_out(self, *keys: str, way: Way = "module") -> Rule:
        """The modules that these lists leave out."""
        patterns = tuple(name for key in keys for name in self.listed(key))
        return Rule(None, Names(patterns, way, merged=way == "module"))

    def listed(self, key: str) -> Iterator[str]:
        """The patterns of a list that can be read; one that cannot is a message at its place."""
        value = self.given.get(key)
        if value is not None:
            yield from self.patterns(value, key)

    def patterns(self, value: Any, *path: str | int) -> Iterator[str]:
        """The same of a value that stands at a path."""
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise Senseless(f"`{path[-1]}` must be a list of names")
        yield from (each for at, each in enumerate(value) if self.can_read(each, *path, at))

    def can_read(self, pattern: str, *path: str | int) -> bool:
        try:
            if pattern.startswith("re:") or any(sign in pattern for sign in "*?["):
                readable(pattern)
        except Unreadable:
            message = f"the pattern {quoted(pattern)} of modules is none that is read here, so it means none of them"
            self.warn("CW0691", self.span(*path), message, "name the modules, with `*` for any part")
            return False
        return True

    def algorithm(self, name: Any, group: Any = None) -> Stored | None:
        """A ModelOpt algorithm; None, with a message, for one that is not known."""
        if name in ("NVFP4", "NVFP4_AWQ", "W4A8_NVFP4_FP8", "W4A16_NVFP4"):
            return schemes.nvfp4(self.dtype, 16 if group is None else group)
        if name == "FP8":
            return schemes.fp8_blocks(self.dtype, None, static=True)
        if name == "FP8_PB_WO":
            return schemes.fp8_blocks(self.dtype, [128, 128], static=False)
        if name == "MXFP4":
            return schemes.mxfp4(self.dtype)
        if name in ("W4A16_AWQ", "W4A8_AWQ"):
            size = 128 if group is None else group
            return schemes.grouped_integers(self.dtype, 4, size, zero=False, ordered=False)
        self.unknown("the algorithm", str(name))
        return None


def _method(reading: Reading) -> str:
    """The method of a statement, in small letters; ModelOpt's file beside a config names none."""
    method = str(reading.given.get("quant_method", "")).lower()
    return "modelopt" if not method and "quant_algo" in reading.given else method


def file_rules(reading: Reading) -> Iterator[Rule]:
    """The rules of one statement, those of single layers first."""
    method = _method(reading)
    yield from _by_layer(reading)
    read = _METHODS.get(method)
    if read is None:
        reading.unknown("the quantisation", method or "without a method")
    else:
        yield from read(reading)


def _by_layer(reading: Reading) -> Iterator[Rule]:
    """Layers that are listed one by one, each with its algorithm (ModelOpt, mixed precision)."""
    listed = reading.given.get("quantized_layers")
    if listed is None:
        return
    if not isinstance(listed, Mapping):
        raise Senseless("`quantized_layers` must be an object of modules")
    alike: dict[Stored, list[str]] = {}
    for name, each in listed.items():
        entry = each if isinstance(each, Mapping) else {}
        stored = reading.algorithm(entry.get("quant_algo", ""), entry.get("group_size"))
        if stored is not None and reading.can_read(name, "quantized_layers", name):
            alike.setdefault(stored, []).append(name)
    yield from (Rule(stored, Names(tuple(names))) for stored, names in alike.items())


_HEAD: Final = Rule(None, parts=frozenset({"head"}))
_EXPERTS: Final = frozenset({"expert"})


def _fp8(reading: Reading) -> Iterator[Rule]:
    yield _HEAD
    yield reading.left_out(*_LEFT_OUT)
    yield from _published(reading)
    if reading.config.at("expert_dtype") == "fp4":
        yield Rule(schemes.mxfp4(reading.dtype), parts=_EXPERTS)
    static = reading.given.get("activation_scheme") == "static"
    # Many configs name power-of-two scales; only of some architectures are they stored as such.
    narrow = reading.description.block_scales
    scales = narrow if reading.given.get("scale_fmt") == "ue8m0" and narrow else "fp32"
    block = reading.given.get("weight_block_size")
    yield Rule(schemes.fp8_blocks(reading.dtype, block, static=static, scale_dtype=scales))


_LEFT_OUT: Final = ("modules_to_not_convert", "ignored_layers")


def _published(reading: Reading) -> Iterator[Rule]:
    """What published checkpoints of the architecture leave out, where the config lists nothing: then no engine could load
    what they hold, and the list is lost."""
    names = reading.description.left_out
    if names and not any(key in reading.given for key in _LEFT_OUT):
        message = (
            f"no module is listed that is left out of the quantisation, and the published checkpoints of "
            f"{reading.description.title} leave out {', '.join(map(quoted, names))}: these are counted as {reading.dtype}"
        )
        help = "take `modules_to_not_convert` over from the checkpoint's own config; an empty list leaves nothing out"
        reading.warn("CW0699", reading.span(), message, help)
        yield Rule(None, Names(names))


def _fbgemm(reading: Reading) -> Iterator[Rule]:
    yield _HEAD
    yield reading.left_out("modules_to_not_convert")
    yield Rule(schemes.fp8_rows(reading.dtype))


def _mxfp4(reading: Reading) -> Iterator[Rule]:
    yield reading.left_out("modules_to_not_convert")
    yield Rule(schemes.mxfp4(reading.dtype), parts=_EXPERTS)


def _awq(reading: Reading) -> Iterator[Rule]:
    yield _HEAD
    yield reading.left_out("modules_to_not_convert", way="substring")
    zero = reading.given.get("zero_point", True) is not False
    bits = reading.given.get("bits", reading.given.get("w_bit", 4))
    group = reading.given.get("group_size", reading.given.get("q_group_size", 128))
    yield Rule(schemes.grouped_integers(reading.dtype, bits, group, zero=zero, ordered=False))


# ── GPTQ ─────────────────────────────────────────────────────────────────────────────────────────
def _gptq(reading: Reading) -> Iterator[Rule]:
    """The first pattern of `dynamic` that means a module holds: `-:` leaves it out, `+:` or no sign overrides."""
    if reading.given.get("lm_head") is not True:
        yield _HEAD
    dynamic = reading.given.get("dynamic") or {}
    if not isinstance(dynamic, Mapping):
        raise Senseless("`dynamic` must be an object of patterns")
    whole = {"bits": 4, "group_size": 128, **reading.given}
    for key, each in dynamic.items():
        pattern = f"re:{key[2:] if key[:2] in ('-:', '+:') else key}"
        if not reading.can_read(pattern, "dynamic", key):
            continue
        if key.startswith("-:"):
            yield Rule(None, Names((pattern,)))
        elif isinstance(each, Mapping):
            yield Rule(_ordered(reading, {**whole, **each}), Names((pattern,)))
        else:
            raise Senseless(f"`dynamic` has no object of settings for `{key[:60]}`")
    yield reading.left_out("modules_to_not_convert", way="substring")
    yield Rule(_ordered(reading, whole))


def _ordered(reading: Reading, settings: Mapping[str, Any]) -> Stored:
    return schemes.grouped_integers(
        reading.dtype, settings["bits"], settings["group_size"], zero=True, ordered=True
    )


# ── compressed-tensors ───────────────────────────────────────────────────────────────────────────
_CLASSES: Final = frozenset({"Linear"})
"""Classes of modules that targets may name and that matrices here are of."""


def _compressed_tensors(reading: Reading) -> Iterator[Rule]:
    """Names go before expressions, in the order of their letters, and these before classes, whichever group is first."""
    yield from _sparse(reading)
    yield reading.left_out("ignore", way="exact")
    groups = reading.given.get("config_groups") or {}
    others = reading.given.get("sparsity_config") or reading.given.get("kv_cache_scheme")
    if not isinstance(groups, Mapping) or not (groups or others):
        raise Senseless("`config_groups` must be an object of groups")
    form = str(reading.given.get("format", ""))
    ways: dict[str, Stored] = {}
    for name, group in groups.items():
        if not isinstance(group, Mapping):
            raise Senseless(f"the config group `{name[:60]}` must be an object")
        stored = schemes.compressed(reading.dtype, group.get("weights"), str(group.get("format") or form))
        targets = group.get("targets") or ["Linear"]
        for each in reading.patterns(targets, "config_groups", name, "targets"):
            ways[each] = stored
    if "Embedding" in ways:
        message = f"tables of embeddings are said to be quantised too: they are counted as {reading.dtype}"
        help = "give the table its dtype and scales: `tensors.embedding.dtype = int8`"
        reading.warn("CW0630", reading.span("config_groups"), message, help)
    yield from _targeted(ways)


def _targeted(ways: Mapping[str, Stored]) -> Iterator[Rule]:
    named: dict[Stored, list[str]] = {}
    for each, stored in ways.items():
        if not each.startswith("re:") and each not in _CLASSES:
            named.setdefault(stored, []).append(each)
    yield from (Rule(stored, Names(tuple(names), "exact")) for stored, names in named.items())
    for each in sorted(each for each in ways if each.startswith("re:")):
        yield Rule(ways[each], Names((each,), "exact"))
    yield from (Rule(stored) for each, stored in ways.items() if each in _CLASSES)


def _sparse(reading: Reading) -> Iterator[Rule]:
    """Matrices of which two numbers of four are stored, with a bit for each of the four (compressed-tensors
    `Sparse24BitMaskCompressor`, `Marlin24Compressor`)."""
    sparsity = reading.given.get("sparsity_config") or {}
    if not isinstance(sparsity, Mapping):
        raise Senseless("`sparsity_config` must be an object")
    if reading.given.get("format") == "marlin-24":
        yield Rule(
            schemes.unquantised(reading.dtype),
            halves=True,
            but=Names(tuple(reading.listed("ignore")), "exact"),
        )
        return
    form = sparsity.get("format", "dense")
    if form == "sparse-24-bitmask":
        targets = list(reading.patterns(sparsity.get("targets") or ["Linear"], "sparsity_config", "targets"))
        but = tuple(reading.patterns(sparsity.get("ignore") or [], "sparsity_config", "ignore"))
        names = None if _CLASSES & set(targets) else Names(tuple(targets), "exact")
        yield Rule(None, names, halves=True, beside=schemes.SHAPE_BYTES, but=Names(but, "exact"))
    elif form != "dense":
        message = f"the sparsity {quoted(str(form))} stores what no config says how much of: those weights are counted whole"
        help = "take the checkpoint's headers instead: `checkpoint files from safetensors(…)`"
        reading.warn("CW0630", reading.span("sparsity_config"), message, help)


# ── the cache that a checkpoint asks for ─────────────────────────────────────────────────────────
_SCHEME: Final = "kv_cache_scheme"
_CACHE_ALGORITHM: Final = "kv_cache_quant_algo"


def asked_cache(reading: Reading) -> tuple[str, str] | None:
    """The number format in which a statement asks keys and values to be kept, and the key that says so; None where none
    does, with a message for one that is not known."""
    method = _method(reading)
    given = {key: reading.given.get(key) for key in (_SCHEME, _CACHE_ALGORITHM)}
    if method == "compressed-tensors" and given[_SCHEME]:
        key, dtype = _SCHEME, _cache_format(given[_SCHEME])
    elif method.startswith("modelopt") and any(given.values()):
        key = _SCHEME if given[_SCHEME] else _CACHE_ALGORITHM
        dtype = _cache_format(given[key])
    else:
        return None
    if dtype is not None:
        return dtype, key
    message = f"the cache that the checkpoint asks for, {quoted(given[key])}, is not known here"
    help = "say in the plan which cache the engine keeps: `cache = fp8_paged`, or one of your own"
    reading.warn("CW0698", reading.span(key), message, help)
    return None


def _cache_format(asked: Any) -> str | None:
    """The number format of a scheme, or of ModelOpt's word for one."""
    if isinstance(asked, str):
        return {"FP8": schemes.FLOATS[8], "NVFP4": schemes.FLOATS[4]}.get(asked.upper())
    if (
        not isinstance(asked, Mapping)
        or asked.get("type") != "float"
        or asked.get("dynamic", False) is not False
    ):
        return None
    bits = asked.get("num_bits")
    return schemes.FLOATS.get(bits) if type(bits) is int else None


# ── ModelOpt, bitsandbytes ───────────────────────────────────────────────────────────────────────
def _modelopt(reading: Reading) -> Iterator[Rule]:
    yield _HEAD
    yield reading.left_out("exclude_modules", "ignore")
    algorithm = reading.given.get("quant_algo")
    if algorithm == "MIXED_PRECISION":
        if not reading.given.get("quantized_layers"):
            raise Senseless("`MIXED_PRECISION` without `quantized_layers` says of no module how it is stored")
    elif algorithm is not None:
        stored = reading.algorithm(algorithm, reading.given.get("group_size"))
        if stored is not None:
            yield Rule(stored)
    elif not reading.given.get("kv_cache_quant_algo"):
        raise Senseless("no `quant_algo` is given")


def _bitsandbytes(reading: Reading) -> Iterator[Rule]:
    yield _HEAD
    yield reading.left_out("llm_int8_skip_modules", way="inside")
    if reading.given.get("load_in_4bit") is True or reading.given.get("_load_in_4bit") is True:
        fp4 = reading.given.get("bnb_4bit_quant_type") == "fp4"
        double = reading.given.get("bnb_4bit_use_double_quant") is True
        yield Rule(schemes.blocks_of_64(reading.dtype, fp4=fp4, double=double))
    else:
        yield Rule(Stored("int8", reading.dtype, rows=1))


_METHODS: Final[Mapping[str, Callable[[Reading], Iterable[Rule]]]] = {
    "fp8": _fp8,
    "fbgemm_fp8": _fbgemm,
    "mxfp4": _mxfp4,
    "awq": _awq,
    "awq_marlin": _awq,
    "gptq": _gptq,
    "gptq_marlin": _gptq,
    "compressed-tensors": _compressed_tensors,
    "modelopt": _modelopt,
    "modelopt_fp4": _modelopt,
    "bitsandbytes": _bitsandbytes,
}
