"""The facts of one model: each value that a description asks for, with the clause that says where it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import isfinite
from typing import Any, Final

from msgspec import Struct, field

from capwright.importers.config_keys import LARGEST, Config, shown_kind
from capwright.importers.descriptions import Description, Field
from capwright.importers.formulas import Expression, Unfit, arithmetic, evaluate
from capwright.importers.json_places import pointer
from capwright.importers.strict_json import NotFinite
from capwright.importers.words import quoted

MAX_LAYERS: Final = 1_000
MAX_WORK: Final = 4_000_000
"""Characters of expressions that one description may have evaluated, each as often as it is."""
WITH_UNIT: Final = {"max_context"}
"""Fields that are no pure numbers in a plan: what follows from them is written as its number."""
DEPTH: Final = "depth"
"""The field that every description gives: how many layers the decoder has."""


class Said(Unfit):
    """A value that is missing for a reason that a message has told already."""


class Fact(Struct, frozen=True):
    """A value and where it comes from: `clause` for a value as such, `expression` where it follows from others."""

    value: Any
    clause: str
    expression: Expression | None = None


class Facts(Struct):
    """The values of a description's fields in one config, read when first asked for."""

    description: Description
    config: Config
    known: dict[str, Fact] = field(default_factory=dict)
    pending: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    lists: dict[str, list[Any]] = field(default_factory=dict)
    told: set[tuple[str, ...]] = field(default_factory=set)
    work: int = 0

    def has(self, name: str) -> bool:
        return name in self.description.fields

    def of(self, name: str) -> Fact:
        """The fact of a field; raises `Said` after a message, `Unfit` where a description is at fault."""
        if name in self.known:
            return self.known[name]
        if name in self.broken:
            raise Said(name)
        if name not in self.description.fields:
            raise Unfit(f"`{name}` is no field of the description")
        if name in self.pending:
            raise Unfit(f"`{name}` depends on itself")
        self.pending.add(name)
        try:
            self.known[name] = self._read(self.description.fields[name])
        except Said:
            self.broken.add(name)
            raise
        finally:
            self.pending.discard(name)
        return self.known[name]

    def value(self, expression: Expression, layer: int | None = None) -> Any:
        """The value of an expression, in a layer where it depends on one."""
        self.work += len(expression.text)
        if self.work > MAX_WORK:
            raise Unfit("its expressions take too long")
        try:
            return evaluate(expression, lambda name: self._named(name, layer))
        except Unfit as unfit:
            # What stands inside of another is told: it is nearer to the mistake.
            unfit.expression = unfit.expression or expression
            raise

    def read_by(self, expression: Expression) -> list[str]:
        """The keys of the config that the value of an expression comes from."""
        return sorted(self._keys(expression, set()))

    def truth(self, expression: Expression | None, layer: int | None = None) -> bool:
        return expression is None or bool(self.value(expression, layer))

    def depth(self) -> int:
        """The number of layers; raises `Said` where it is none that a model can have."""
        count = self.of(DEPTH).value
        if type(count) is not int or not 0 < count <= MAX_LAYERS:
            self.broken.add(DEPTH)
            spec = self.description.fields[DEPTH]
            where = self.config.pointer(spec.keys[0]) if spec.keys else spec.name
            message = f"{where} is {quoted(count)}, and no model here may have over {MAX_LAYERS:_} layers"
            help = "give the number of layers that the model has"
            self.config.say("CW0623", self.config.path_of(spec.keys[0]) if spec.keys else (), message, help)
            raise Said(DEPTH)
        return count

    def layers(self, expression: Expression) -> list[int]:
        """The layers in which an expression holds."""
        return [layer for layer in range(self.depth()) if self.value(expression, layer)]

    def per_layer(self, names: Iterable[str]) -> list[str]:
        """The names among those whose values differ from layer to layer."""
        return sorted(name for name in names if name in self.description.by_layer)

    def clause(self, expression: Expression) -> str:
        """Where the value of an expression comes from: the keys it reads, or the code that says so."""
        keys = self.read_by(expression)
        if keys:
            return self.config.keyed(*keys)
        return self.config.built_in(expression.text)

    def counted_clause(self, expression: Expression) -> str:
        """Where the number of layers in which an expression holds comes from: how many layers there are, the keys that the
        expression reads, and what the model code takes for those that are left out."""
        seen: set[str] = set()
        read = self._keys(expression, seen)
        if not read:
            return self.clause(expression)
        given = [key for key in self.description.fields["depth"].keys if self.config.gives(key)]
        fields = (self.description.fields[name] for name in sorted(seen) if name in self.description.fields)
        # What a list says of each layer leaves nothing to what the model code takes.
        listed = any(
            isinstance(self.of(name).value, list) for name in seen if name in self.description.fields
        )
        silent = (
            []
            if listed
            else [
                f"{_key_name(spec)} as {_shown(spec.default)}"
                for spec in fields
                if spec.keys and spec.default is not None and not any(map(self.config.gives, spec.keys))
            ]
        )
        return self.config.keyed(*dict.fromkeys([*given, *sorted(read)]), silent=silent)

    def _keys(self, expression: Expression, seen: set[str]) -> set[str]:
        found: set[str] = set()
        for name in expression.names - seen:
            seen.add(name)
            below = self.description.sets.get(name) or self.description.by_layer.get(name)
            if below is not None:
                found |= self._keys(below, seen)
            elif name in self.known and (said := self.known[name].expression) is not None:
                found |= self._keys(said, seen)
            elif name in self.description.fields:
                found |= {key for key in self.description.fields[name].keys if self.config.gives(key)}
        return found

    def _named(self, name: str, layer: int | None) -> Any:
        if name == "i" and layer is not None:
            return layer
        if name.startswith("given "):
            return self.config.gives(name.removeprefix("given "))
        if name.startswith("count "):
            return sum(map(bool, self._listed(name.removeprefix("count "))))
        if name.startswith("first "):
            return self._first(name.removeprefix("first "))
        if layer is not None and name.startswith("before "):
            return sum(map(bool, self._listed(name.removeprefix("before "))[:layer]))
        if layer is not None and (name in self.description.sets or name in self.description.by_layer):
            # A layer that drafts tokens may have the number after the last.
            return self._listed(name)[layer] if layer < self.depth() else self.value(self._body(name), layer)
        return self.of(name).value

    def _first(self, name: str) -> int:
        """The first layer in a set."""
        found = next((layer for layer, holds in enumerate(self._listed(name)) if holds), None)
        if found is None:
            raise Unfit(f"no layer is in `{name}`")
        return found

    def _body(self, name: str) -> Expression:
        body = self.description.sets.get(name) or self.description.by_layer.get(name)
        if body is None:
            raise Unfit(f"`{name}` is no set of layers")
        return body

    def _listed(self, name: str) -> list[Any]:
        """The values of a set or of a value by layer, in all layers."""
        if name not in self.lists:
            body = self._body(name)
            if name in self.pending:
                raise Unfit(f"`{name}` depends on itself")
            self.pending.add(name)
            try:
                self.lists[name] = [self.value(body, layer) for layer in range(self.depth())]
            finally:
                self.pending.discard(name)
        return self.lists[name]

    def _read(self, spec: Field) -> Fact:
        self._check_objects(spec)
        given = [key for key in spec.keys if self.config.gives(key)]
        if given:
            self._check_agreement(given)
            return Fact(self._checked(spec, given[0]), self.config.keyed(given[0]))
        null = next((key for key in spec.keys if self.config.holds(key)), None)
        if null is not None and spec.null is not None:
            return self._followed(spec, spec.null, f"{spec.keys[0]} as null")
        if null is not None and self._needs(spec):
            # What the model code takes for a key that is left out it does not take for one that says `null`.
            self.config.say(
                "CW0621",
                self.config.path_of(null),
                f"{self.config.pointer(null)} is `null`, and a model of this architecture needs it",
                f"give `{null.removeprefix('/')}` as the model has it, or declare the model in a plan: `model NAME {{ … }}`",
            )
            raise Said(spec.name)
        if spec.default is not None:
            said = f"{_key_name(spec)} is {_shown(spec.default)}" + (
                " where it is left out" if spec.keys else ""
            )
            clause = self.config.coded if spec.keys else self.config.built_in
            return Fact(spec.default, clause(said, spec.code))
        if spec.otherwise is not None:
            return self._followed(spec, spec.otherwise, f"without {_key_name(spec)}" if spec.keys else "")
        help = f"give `{_key_name(spec)}`, or declare the model in a plan: `model NAME {{ … }}`"
        names = " or ".join(f"`{key.removeprefix('/')}`" for key in spec.keys) or f"`{spec.name}`"
        self.config.say("CW0621", self.config.decoder, f"the config has no {names}", help)
        raise Said(spec.name)

    def _check_objects(self, spec: Field) -> None:
        """What holds a key is an object, and one that must have the key has it, `null` or not."""
        for key in spec.keys:
            path = self.config.in_the_way(key)
            if path is not None:
                # One object holds the keys of many fields.
                if path not in self.told:
                    self.told.add(path)
                    value = self.config.at("/" + ".".join(path))
                    message = f"{pointer(path)} is {shown_kind(value)} {quoted(_shown(value))}, and must be an object"
                    self.config.say("CW0622", path, message, f"give `{path[-1]}` as the model has it")
                raise Said(spec.name)
        lacking = next((key for key in spec.keys if "." in key and self.config.reaches(key)), None)
        if spec.demanded and lacking is not None and not any(map(self.config.holds, spec.keys)):
            *outer, last = self.config.path_of(lacking)
            message = (
                f"{pointer(tuple(outer))} has no `{last}`, and code that serves the model reads it there"
            )
            self.config.say("CW0621", tuple(outer), message, f"give `{last}` there as the model has it")
            raise Said(spec.name)

    def _needs(self, spec: Field) -> bool:
        """Whether a model cannot be without what a field says: it has a size of its own where the key is left out, and that
        is not what the model code takes for `null`. What follows from other fields, is none or is a word does so still."""
        if spec.default is not None:
            return bool(spec.default) and spec.type in _SIZES
        if spec.otherwise is None:
            return True
        return not spec.otherwise.names and bool(self.value(spec.otherwise)) and spec.type in _SIZES

    def _check_agreement(self, given: list[str]) -> None:
        """Two spellings of one key in one object must say the same; the outer object overrules the inner."""
        first, *rest = given
        for key in rest:
            if key.startswith("/") == first.startswith("/") and self.config.at(key) != self.config.at(first):
                message = (
                    f"{self.config.pointer(first)} is {quoted(self.config.at(first))} and "
                    f"{self.config.pointer(key)} is {quoted(self.config.at(key))}"
                )
                help = "both name one thing: leave the one that is right"
                self.config.say("CW0632", self.config.path_of(key), message, help)
                raise Said(key)

    def _followed(self, spec: Field, expression: Expression, why: str) -> Fact:
        value = self.value(expression)
        if spec.type == "whole" and type(value) is not int and value is not None:
            message = f"{why + ', ' if why else ''}`{spec.name}` would be {expression.text}, which is {_shown(value)}"
            help = f"give `{_key_name(spec)}`, or correct what it follows from"
            self.config.say("CW0625", self.config.decoder, message, help)
            raise Said(spec.name)
        # A word stands for itself: what it was picked by is no number that a reader could follow.
        said = value if isinstance(value, str) else expression.text
        words = f"{why}, {said}" if why else f"{spec.name} is {said}"
        clause = self.config.coded if spec.keys else self.config.built_in
        return Fact(value, clause(words, spec.code), expression)

    def _checked(self, spec: Field, key: str) -> Any:
        value, where = _respelled(self.config.at(key), spec.spelled), self.config.pointer(key)
        fault = _fault(spec, value)
        if fault is not None:
            code, words = fault
            path = self.config.path_of(key)
            if path not in self.told:  # by another field that reads the key
                self.told.add(path)
                self.config.say(
                    code, path, f"{where} is {words}", f"give `{key.removeprefix('/')}` as the model has it"
                )
            raise Said(spec.name)
        if type(value) is int and value > MAX_LAYERS and spec.name in self._layer_counts():
            message = f"{where} is {quoted(value)}, and nothing here has over {MAX_LAYERS:_} layers"
            self.config.say("CW0623", self.config.path_of(key), message, "give the number that there are")
            raise Said(spec.name)
        if isinstance(value, list):
            self._check_list(spec, key, value)
        return Fraction(str(value)) if isinstance(value, float) else value

    def _layer_counts(self) -> set[str]:
        """The fields that say how many layers there are, in the decoder and in towers."""
        copies = (tensor.copies for tensor in self.description.tensors if tensor.copies is not None)
        return {DEPTH}.union(*(each.names for each in copies))

    def _check_list(self, spec: Field, key: str, value: list[Any]) -> None:
        where = self.config.pointer(key)
        if spec.length is not None:
            wanted, spare = self.value(spec.length), self.value(spec.spare) if spec.spare else 0
            if len(value) not in (wanted, wanted + spare):
                layers = "1 layer" if len(value) == 1 else f"{len(value)} layers"
                message = f"{where} lists {layers}, and the model has {wanted}"
                help = "correct the one that is wrong: one entry a layer"
                if DEPTH not in spec.length.names:
                    entries = "1 entry" if len(value) == 1 else f"{len(value)} entries"
                    message = f"{where} has {entries}, and {wanted} {'is' if wanted == 1 else 'are'} read"
                    help = f"give `{key.removeprefix('/')}` as the model has it"
                self.config.say("CW0629", self.config.path_of(key), message, help)
                raise Said(spec.name)
        for at, each in enumerate(value):
            fault = self._entry_fault(spec, value[:at], each)
            if fault is not None:
                message = f"{where}/{at} is {quoted(_shown(each))}, which this architecture does not have"
                self.config.say("CW0622", (*self.config.path_of(key), at), message, fault)
                raise Said(spec.name)

    def _entry_fault(self, spec: Field, before: list[Any], entry: Any) -> str | None:
        """What an entry of a list must be, where it is not."""
        if spec.choices and entry not in spec.choices:
            return f"known: {', '.join(map(str, spec.choices))}; or declare the model in a plan"
        if spec.type in _WHOLES and not (type(entry) is int and spec.least <= entry <= LARGEST):
            return f"each entry is a whole number from {spec.least} up"
        if spec.within is not None:
            end = spec.start + self.value(spec.within)
            if type(entry) is not int or not spec.start <= entry < end or entry in before:
                return f"numbers of layers, from {spec.start} to {end - 1}, each once"
        return None


def follows(fact: Fact, facts: Facts) -> bool:
    """Whether a plan can say the fact as an expression over other fields."""
    return (
        fact.expression is not None
        and bool(fact.expression.names)
        and arithmetic(fact.expression)
        and all(
            facts.has(name) and name not in WITH_UNIT and type(facts.of(name).value) is int
            for name in fact.expression.names
        )
    )


def _respelled(value: Any, spelled: Mapping[str, str]) -> Any:
    """A list whose entries stand as the description spells them."""
    if not spelled or not isinstance(value, list):
        return value
    return [spelled.get(each, each) if isinstance(each, str) else each for each in value]


def _key_name(spec: Field) -> str:
    return spec.keys[0].removeprefix("/") if spec.keys else spec.name


_WHOLES: Final = ("each", "wholes")
"""Types of fields whose lists hold whole numbers."""
_SIZES: Final = ("whole", "number", *_WHOLES, "list")
"""Types of fields that are sizes, or lists of them."""
_WANTED: Final[dict[str, tuple[Any, str]]] = {
    "whole": (int, "a whole number"),
    "number": (int | Fraction, "a number"),
    "bool": (bool, "true or false"),
    "text": (str, "a text"),
    "each": (list, "a whole number, or a list of them"),
    "wholes": (list, "a list of whole numbers"),
    "list": (list, "a list"),
    "table": (dict, "an object"),
}


def _fault(spec: Field, value: Any) -> tuple[str, str] | None:
    """A code and what is wrong with a value, or None."""
    if isinstance(value, NotFinite):
        return "CW0615", f"`{value.written}`, which is no JSON number"
    if isinstance(value, float) and not isfinite(value):
        return "CW0615", f"`{value}`, which is no number"
    kind, wanted = _WANTED.get(spec.type, (object, ""))
    if spec.type == "number" and isinstance(value, float):
        return None
    if spec.type == "each" and not isinstance(value, list):
        kind, wanted = _WANTED["whole"]
    if not isinstance(value, kind) or (isinstance(value, bool) and spec.type in ("whole", "each", "number")):
        return "CW0622", f"{shown_kind(value)} {quoted(_shown(value))}, and must be {wanted}"
    if spec.type in ("whole", "each") and isinstance(value, int) and not spec.least <= value <= LARGEST:
        return "CW0623", f"{quoted(value)}, and must be between {spec.least} and {LARGEST:_}"
    if spec.choices and not isinstance(value, list) and value not in spec.choices:
        return "CW0622", f"{quoted(value)}, and must be one of {', '.join(map(str, spec.choices))}"
    return None


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
