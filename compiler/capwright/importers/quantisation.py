"""How the weights of a checkpoint are stored, by tensor: number format, scales, and which modules are left out.

Every method is read from `quantization_config`, in the whole file or the decoder's object, or from the file that
ModelOpt puts beside the config.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from capwright.importers.config_keys import Config
from capwright.importers.descriptions import Description, Tensor
from capwright.importers.facts import Fact
from capwright.importers.json_places import Path, place, pointer
from capwright.importers.module_names import EXPERT, Endless, Tries, alike, full_names
from capwright.importers.quantisation_methods import Reading, Rule, asked_cache, file_rules
from capwright.importers.quantisation_schemes import Senseless, Stored, halved, unquantised
from capwright.importers.strict_json import read_json
from capwright.importers.words import string

__all__ = ["Quantisation", "Share", "Stored", "read_quantisation"]

KEYS: Final = ("/quantization_config", "quantization_config", "/compression_config", "compression_config")
NEVER: Final = frozenset({"embedding", "norm", "bias", "buffer", "vision", "audio"})
"""Parts that no method here packs."""
MAX_EXPERTS: Final = 4_096
"""Experts of a layer that are asked about one by one."""
_HELP: Final = (
    "give it as the checkpoint ships it, or leave it out and give the tensors their dtype in the plan"
)


class Share(Struct, frozen=True):
    """Matrices of a tensor that are stored in one way: so many of its matrices, of so many of its experts. None stands
    for the model's own number format; shares of the same matrices have the same number `matrix`."""

    stored: Stored | None
    matrices: int
    experts: int
    matrix: int = 0


class Quantisation(Struct, frozen=True):
    """A checkpoint's quantisation: the first rule that means a tensor holds. Without rules all is stored as the model's
    dtype says. `other` is what a second statement says, where there is one; `cache` the number format in which the first asks
    keys and values to be kept."""

    rules: tuple[Rule, ...] = ()
    prefixes: tuple[str, ...] = ()
    plain: str = ""
    reading: Reading | None = None
    other: Quantisation | None = None
    cache: Fact | None = None
    tries: Tries = field(default_factory=Tries)

    def shares(
        self, tensor: Tensor, layer: int | None, matrices: int, experts: int, own: tuple[str, ...] = ()
    ) -> tuple[Share, ...]:
        """How a tensor of a layer is stored, in one share unless a list means some of its matrices or experts only;
        `own` are beginnings of names that only this layer has. Raises `Endless` where names and patterns are too many."""
        if not self.asks(tensor):
            return (Share(None, matrices, experts),)
        apart = len(tensor.modules) == matrices > 1
        singly = experts > 1 and self._by_expert(tensor)
        if singly and experts > MAX_EXPERTS:
            raise Endless
        groups = alike(self._digits(), experts) if singly else ((None, experts),)
        found: dict[tuple[Stored | None, ...], int] = {}
        for modules in [(each,) for each in tensor.modules] if apart else [tensor.modules]:
            held = tuple(self._stored(tensor.part, modules, layer, first, own) for first, _ in groups)
            found[held] = found.get(held, 0) + (1 if apart else matrices)
        return tuple(
            Share(
                stored,
                count,
                sum(many for each, (_, many) in zip(held, groups, strict=True) if each == stored),
                number,
            )
            for number, (held, count) in enumerate(found.items())
            for stored in dict.fromkeys(held)
        )

    def asks(self, tensor: Tensor) -> bool:
        """Whether a tensor may be stored in another way than the model's dtype."""
        return bool(self.rules and tensor.packed and tensor.modules) and tensor.part not in NEVER

    def _by_expert(self, tensor: Tensor) -> bool:
        return any(EXPERT.search(each) for each in tensor.modules) and any(
            rule.names is not None and rule.names.by_expert() for rule in self.rules
        )

    def _digits(self) -> frozenset[str] | None:
        """What tells experts from each other in the patterns of all rules."""
        told = [
            names.digits() for rule in self.rules for names in (rule.names, rule.but) if names is not None
        ]
        return None if any(each is None for each in told) else frozenset().union(*filter(None, told))

    def _stored(
        self, part: str, modules: Iterable[str], layer: int | None, expert: int | None, own: tuple[str, ...]
    ) -> Stored | None:
        names = list(full_names(self.prefixes, modules, layer, expert, own))
        met = [rule for rule in self.rules if rule.means(names, part, self.tries)]
        stored = next((rule.stored for rule in met if not rule.halves), None)
        beside = next((rule.beside for rule in met if rule.halves), None)
        return stored if beside is None else halved(stored or unquantised(self.plain), beside)


def read_quantisation(
    config: Config, dtype: str, description: Description, beside: tuple[str, bytes] | None = None
) -> Quantisation:
    """The quantisation that a config, or the file beside it, states; messages go to the config."""
    key = _stated(config)
    stated = [] if key is None else [_of(config, dtype, description, config.at(key), config.path_of(key))]
    if beside is not None:
        shown, data = beside
        found = _beside(config, shown, data)
        if found is not None:
            stated.append(
                _of(
                    config,
                    dtype,
                    description,
                    found,
                    ("quantization",),
                    (shown, data.decode("utf-8", "replace")),
                )
            )
    if not stated:
        return Quantisation()
    return stated[0] if len(stated) == 1 else replace(stated[0], other=stated[1])


def _stated(config: Config) -> str | None:
    """The first key that states a quantisation; a message where another states a different one."""
    places = {config.path_of(key): key for key in reversed(KEYS) if config.gives(key)}
    given = list(reversed(places.values()))
    for key in given[1:]:
        if config.at(key) != config.at(given[0]):
            message = f"{config.pointer(given[0])} and {config.pointer(key)} state two quantisations: the first counts"
            help = "leave the one that is right"
            config.say("CW0693", config.path_of(key), message, help, severity="warning")
    return given[0] if given else None


def _of(
    config: Config,
    dtype: str,
    description: Description,
    given: Any,
    where: Path,
    file: tuple[str, str] | None = None,
) -> Quantisation:
    """What one object states; `file` is another file than the config, as shown and as text."""
    if not isinstance(given, Mapping):
        config.say_at("CW0690", _span(config, where, file), "the quantisation is no object of keys", _HELP)
        return Quantisation()
    reading = Reading(config, where, given, dtype, description, file)
    try:
        rules = tuple(file_rules(reading))
        if any(rule.halves for rule in rules):
            for rule in rules:
                halved(rule.stored or unquantised(dtype), rule.beside)
        return Quantisation(rules, description.prefixes, dtype, reading, cache=_cache(reading))
    except Senseless as senseless:
        message = f"the quantisation makes no sense: {senseless}"
    except Endless:
        message = "the quantisation makes no sense: it lists too many patterns of modules"
    config.say_at("CW0690", reading.span(), message, _HELP)
    return Quantisation()


def _cache(reading: Reading) -> Fact | None:
    """The number format in which a statement asks keys and values to be kept, with its key."""
    found = asked_cache(reading)
    if found is None:
        return None
    dtype, key = found
    file = reading.config.path if reading.file is None else reading.file[0]
    return Fact(dtype, f"key {string(f'{file}#{pointer((*reading.where, key))}')}")


def _span(config: Config, where: Path, file: tuple[str, str] | None) -> Any:
    return config.locate(where) if file is None else place(*file, where)


def _beside(config: Config, shown: str, data: bytes) -> Any:
    """What the file beside the config holds under `quantization`."""
    value, found = read_json(data, shown)
    config.diagnostics.extend(found)
    inner = value.get("quantization", value) if isinstance(value, Mapping) else value
    return {"quant_method": "modelopt", **inner} if isinstance(inner, Mapping) else inner
