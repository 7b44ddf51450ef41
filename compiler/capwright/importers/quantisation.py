"""How the weights of a checkpoint are stored, by tensor: number format, scales, and which modules are left out.

Every method is read from `quantization_config`, in the whole file or the decoder's object, or from the file that
ModelOpt puts beside the config.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from capwright.importers import quantisation_schemes as schemes
from capwright.importers.config_keys import Config
from capwright.importers.descriptions import Description, Tensor
from capwright.importers.json_places import Path
from capwright.importers.module_names import Names, Unreadable, full_names, readable
from capwright.importers.quantisation_schemes import Senseless, Stored
from capwright.importers.strict_json import read_json
from capwright.importers.words import quoted

__all__ = ["Quantisation", "Stored", "read_quantisation"]

KEYS: Final = ("/quantization_config", "quantization_config", "/compression_config", "compression_config")
NEVER: Final = frozenset({"embedding", "norm", "bias", "buffer", "vision", "audio"})
"""Parts that no method here packs."""
_HELP: Final = (
    "give it as the checkpoint ships it, or leave it out and give the tensors their dtype in the plan"
)


class Rule(Struct, frozen=True):
    """Modules that are stored in one way; None leaves them as the model's dtype says. Without names, all of them."""

    stored: Stored | None
    names: Names | None = None
    parts: frozenset[str] = frozenset()

    def means(self, names: list[str], part: str) -> bool:
        """Whether a tensor of this part, whose modules may have these names, is meant."""
        if self.parts and part not in self.parts:
            return False
        return self.names is None or self.names.hold(names)


class Quantisation(Struct, frozen=True):
    """A checkpoint's quantisation: the first rule that means a tensor holds. Without rules all is stored as the model's
    dtype says."""

    rules: tuple[Rule, ...] = ()
    prefixes: tuple[str, ...] = ()

    def of(self, tensor: Tensor, layer: int | None) -> Stored | None:
        """How a tensor of a layer is stored; None for the model's own dtype."""
        if not self.rules or not tensor.packed or not tensor.modules or tensor.part in NEVER:
            return None
        names = list(full_names(self.prefixes, tensor.modules, layer))
        return next((rule.stored for rule in self.rules if rule.means(names, tensor.part)), None)


def read_quantisation(
    config: Config, dtype: str, description: Description, beside: tuple[str, bytes] | None = None
) -> Quantisation:
    """The quantisation that a config, or the file beside it, states; messages go to the config."""
    key = next((each for each in KEYS if config.gives(each)), None)
    found = config.at(key) if key is not None else None
    where: Path = config.path_of(key) if key is not None else ()
    if found is None and beside is not None:
        found = _beside(config, *beside)
    if found is None:
        return Quantisation()
    if not isinstance(found, Mapping):
        config.say("CW0690", where, "the quantisation is no object of keys", _HELP)
        return Quantisation()
    try:
        reading = _Reading(config, where, found, dtype, description.block_scales)
        return Quantisation(tuple(reading.rules()), description.prefixes)
    except Senseless as senseless:
        config.say("CW0690", where, f"the quantisation makes no sense: {senseless}", _HELP)
        return Quantisation()


def _beside(config: Config, shown: str, data: bytes) -> Any:
    """What the file beside the config holds under `quantization`."""
    value, found = read_json(data, shown)
    config.diagnostics.extend(found)
    inner = value.get("quantization", value) if isinstance(value, Mapping) else value
    return {"quant_method": "modelopt", **inner} if isinstance(inner, Mapping) else inner


class _Reading(Struct):
    """One quantisation under way."""

    config: Config
    where: Path
    given: Mapping[str, Any]
    dtype: str
    block_scales: str

    def rules(self) -> Iterator[Rule]:
        """The rules of the method, those of single layers first."""
        method = str(self.given.get("quant_method", "")).lower()
        if not method and "quant_algo" in self.given:
            method = "modelopt"
        yield from self.by_layer()
        read = _METHODS.get(method)
        if read is None:
            self.unknown("the quantisation", method or "without a method")
        else:
            yield from read(self)

    def unknown(self, what: str, name: str) -> None:
        message = f"{what} {quoted(name)} is not known here: those weights are counted as {self.dtype}"
        help = "give the tensors that are quantised their dtype and scales: `tensors.gate_up.dtype = int4`"
        self.config.say("CW0630", self.where, message, help, severity="warning")

    def left_out(self, *keys: str, anywhere: bool = False) -> Rule:
        """The modules that these lists leave out."""
        listed = [name for key in keys for name in self.texts(key)]
        return Rule(None, self.names(listed, anywhere=anywhere))

    def texts(self, key: str) -> list[str]:
        value = self.given.get(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise Senseless(f"`{key}` must be a list of names")
        return value

    def names(self, patterns: Iterable[str], *, anywhere: bool = False) -> Names:
        """Patterns that can be read; one that cannot is a message."""
        return Names(tuple(each for each in dict.fromkeys(patterns) if self.can_read(each)), anywhere)

    def can_read(self, pattern: str) -> bool:
        try:
            if "*" in pattern or pattern.startswith("re:"):
                readable(pattern)
        except Unreadable:
            message = f"the pattern {quoted(pattern)} of modules is none that is read here, so none is left out by it"
            help = "name the modules, with `*` for any part"
            self.config.say("CW0691", self.where, message, help, severity="warning")
            return False
        return True

    def by_layer(self) -> Iterator[Rule]:
        """Layers that are listed one by one, each with its algorithm (ModelOpt, mixed precision)."""
        listed = self.given.get("quantized_layers")
        if listed is None:
            return
        if not isinstance(listed, Mapping):
            raise Senseless("`quantized_layers` must be an object of modules")
        alike: dict[Stored, list[str]] = {}
        for name, each in listed.items():
            entry = each if isinstance(each, Mapping) else {}
            stored = self.algorithm(str(entry.get("quant_algo", "")), entry.get("group_size"))
            if stored is not None:
                alike.setdefault(stored, []).append(name)
        for stored, names in alike.items():
            yield Rule(stored, self.names(names))

    def algorithm(self, name: str, group: Any = None) -> Stored | None:
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
        self.unknown("the algorithm", name)
        return None


# ── methods ──────────────────────────────────────────────────────────────────────────────────────
_HEAD: Final = Rule(None, parts=frozenset({"head"}))
_EXPERTS: Final = frozenset({"expert"})


def _fp8(reading: _Reading) -> Iterator[Rule]:
    yield _HEAD
    yield reading.left_out("modules_to_not_convert", "ignored_layers")
    if reading.config.at("expert_dtype") == "fp4":
        yield Rule(schemes.mxfp4(reading.dtype), parts=_EXPERTS)
    static = reading.given.get("activation_scheme") == "static"
    # Many configs name power-of-two scales; only of some architectures are they stored as such.
    scales = (
        reading.block_scales if reading.given.get("scale_fmt") == "ue8m0" and reading.block_scales else "fp32"
    )
    block = reading.given.get("weight_block_size")
    yield Rule(schemes.fp8_blocks(reading.dtype, block, static=static, scale_dtype=scales))


def _fbgemm(reading: _Reading) -> Iterator[Rule]:
    yield _HEAD
    yield reading.left_out("modules_to_not_convert")
    yield Rule(schemes.fp8_rows(reading.dtype))


def _mxfp4(reading: _Reading) -> Iterator[Rule]:
    yield reading.left_out("modules_to_not_convert")
    yield Rule(schemes.mxfp4(reading.dtype), parts=_EXPERTS)


def _awq(reading: _Reading) -> Iterator[Rule]:
    yield _HEAD
    yield reading.left_out("modules_to_not_convert", anywhere=True)
    zero = reading.given.get("zero_point", True) is not False
    bits = reading.given.get("bits", reading.given.get("w_bit", 4))
    group = reading.given.get("group_size", 128)
    yield Rule(schemes.grouped_integers(reading.dtype, bits, group, zero=zero, ordered=False))


def _gptq(reading: _Reading) -> Iterator[Rule]:
    if reading.given.get("lm_head") is not True:
        yield _HEAD
    dynamic = reading.given.get("dynamic") or {}
    if not isinstance(dynamic, Mapping):
        raise Senseless("`dynamic` must be an object of patterns")
    yield Rule(None, reading.names(f"re:{each[2:]}" for each in dynamic if each.startswith("-:")))
    yield reading.left_out("modules_to_not_convert", anywhere=True)
    whole = {"bits": 4, "group_size": 128, **reading.given}
    for pattern, each in dynamic.items():
        if pattern.startswith("+:") and isinstance(each, Mapping):
            own = {**whole, **each}
            yield Rule(_ordered(reading, own), reading.names([f"re:{pattern[2:]}"]))
    yield Rule(_ordered(reading, whole))


def _ordered(reading: _Reading, settings: Mapping[str, Any]) -> Stored:
    return schemes.grouped_integers(
        reading.dtype, settings["bits"], settings["group_size"], zero=True, ordered=True
    )


def _compressed_tensors(reading: _Reading) -> Iterator[Rule]:
    yield reading.left_out("ignore")
    groups = reading.given.get("config_groups")
    if not isinstance(groups, Mapping) or not groups:
        raise Senseless("`config_groups` must be an object of groups")
    form = str(reading.given.get("format", ""))
    for group in groups.values():
        if not isinstance(group, Mapping):
            raise Senseless("a config group must be an object")
        stored = schemes.compressed(reading.dtype, group.get("weights"), str(group.get("format") or form))
        targets = group.get("targets") or ["Linear"]
        if not isinstance(targets, list) or not all(isinstance(each, str) for each in targets):
            raise Senseless("`targets` must be a list of names")
        yield Rule(stored, None if "Linear" in targets else reading.names(targets))


def _modelopt(reading: _Reading) -> Iterator[Rule]:
    yield _HEAD
    yield reading.left_out("exclude_modules", "ignore")
    algorithm = str(reading.given.get("quant_algo", ""))
    if algorithm != "MIXED_PRECISION":
        stored = reading.algorithm(algorithm, reading.given.get("group_size"))
        if stored is not None:
            yield Rule(stored)


def _bitsandbytes(reading: _Reading) -> Iterator[Rule]:
    yield _HEAD
    yield reading.left_out("llm_int8_skip_modules", anywhere=True)
    if reading.given.get("load_in_4bit") is True or reading.given.get("_load_in_4bit") is True:
        double = reading.given.get("bnb_4bit_use_double_quant") is True
        dtype = "fp4_e2m1" if reading.given.get("bnb_4bit_quant_type") == "fp4" else "int4"
        yield Rule(Stored(dtype, reading.dtype, 1, 64, "uint8" if double else "fp32"))
    else:
        yield Rule(Stored("int8", reading.dtype, rows=1))


_METHODS: Final[Mapping[str, Callable[[_Reading], Iterator[Rule]]]] = {
    "fp8": _fp8,
    "fbgemm_fp8": _fbgemm,
    "mxfp4": _mxfp4,
    "awq": _awq,
    "gptq": _gptq,
    "compressed-tensors": _compressed_tensors,
    "modelopt": _modelopt,
    "modelopt_fp4": _modelopt,
    "bitsandbytes": _bitsandbytes,
}
