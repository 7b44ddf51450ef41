"""Names of modules and the patterns by which a quantisation means some of them.

A pattern comes from a stranger's file, so it is never run as a regular expression of its own: it is read into the few
forms that real files use, whose matching cannot run away, and how often such patterns are tried is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, Literal

from msgspec import Struct

MAX_PATTERN: Final = 300
MAX_STARS: Final = 4
MAX_CHOICES: Final = 64
MAX_WILD: Final = 2_000
"""Patterns of one list that are no plain names or beginnings of names: each is tried on every name."""
MAX_TRIED: Final = 4_000_000
"""How often such patterns are tried on names in one config."""
PREFIXES: Final = (
    "model.layers.{i}.",
    "model.language_model.layers.{i}.",
    "language_model.model.layers.{i}.",
    "backbone.layers.{i}.",
    "transformer.h.{i}.",
    "layers.{i}.",
)
"""How checkpoints begin the names of a layer's modules."""
EXPERT: Final = re.compile(r"(?<=experts\.)0(?=\.|$)")
"""Where the name of an expert's module has the expert's number."""
MERGED: Final = {
    "q_proj": "qkv_proj", "k_proj": "qkv_proj", "v_proj": "qkv_proj",
    "gate_proj": "gate_up_proj", "up_proj": "gate_up_proj",
    "q_a_proj": "fused_qkv_a_proj", "kv_a_proj_with_mqa": "fused_qkv_a_proj",
}  # fmt: skip
"""The matrix that engines merge a matrix into as they load it (vLLM, `packed_modules_mapping` of its models)."""
_PIECE: Final = re.compile(
    r"\.\*\??|\[\^?[\w\-]+\]|\\d\+|\\\.|\\w\+|\(\??:?(?P<choice>[\w.\-|\\]+)\)|\.|[\w\-]|[\^$]"
)
_OF_LAYER: Final = re.compile(r"(?:layers|h|blocks)(?:\\?\.)\d+")
_NUMBER: Final = re.compile(r"(?<![\w\\])\d")
_RUN: Final = re.compile(r"\d+")
_PIECES: Final = re.compile(r"\d\*+\d")
"""A number that is asked for in pieces: their order counts, and they may not overlap."""
_WILD: Final = ("*", "?", "[")

Way = Literal["module", "exact", "substring", "inside"]
"""What a plain pattern means: `module` the name, an outer module of it, or its end; `exact` the name alone;
`substring` any part of the name; `inside` the name, its last part, or what a dot follows in it."""


class Unreadable(Exception):
    """A pattern that is none of the forms that are read."""


class Endless(Exception):
    """Patterns and names are too many to try each on each."""


class _SortedOut(Struct, frozen=True):
    """Patterns by how they are asked: plain names, beginnings of names with their lengths, and all others."""

    plain: frozenset[str]
    begun: frozenset[str]
    lengths: tuple[int, ...]
    wild: tuple[tuple[str, re.Pattern[str]], ...]
    by_expert: bool
    digits: frozenset[str] | None
    """The runs of digits, but for layers', that a name's number is set against: by its whole, its beginning or its end.
    None where a pattern asks more of a number."""


class Names(Struct):
    """Patterns, ready to be asked, and what a plain one among them means. Lists that are written for engines too name the
    matrices that these merge others into: `merged` has them mean all of those."""

    patterns: tuple[str, ...]
    way: Way = "module"
    merged: bool = False
    read: _SortedOut | None = None

    def sorted_out(self) -> _SortedOut:
        """The patterns by how they are asked, read when they are first; raises `Endless` where they are too many."""
        if self.read is None:
            self.read = _sorted_out(self.patterns)
        return self.read

    def hold(self, names: Iterable[str], tries: Tries) -> bool:
        """Whether any of the names is meant."""
        if not self.patterns:
            return False
        sorted_out = self.sorted_out()
        return any(
            _plain(sorted_out.plain, name, self.way, tries)
            or _begun(sorted_out, name) is not None
            or _wild(sorted_out.wild, name, tries) is not None
            for name in self._asked(names)
        )

    def _asked(self, names: Iterable[str]) -> Iterator[str]:
        """The names to be asked about, and those of what they are merged into."""
        for name in names:
            yield name
            if self.merged:
                yield from _merged(name)

    def by_expert(self) -> bool:
        """Whether single experts may be meant, by a number that is no layer's."""
        return self.sorted_out().by_expert

    def digits(self) -> frozenset[str] | None:
        """The runs of digits that tell experts from each other; None where more does."""
        return self.sorted_out().digits

    def idle(self, names: Iterable[str], tries: Tries) -> tuple[str, ...]:
        """The patterns that mean none of the names."""
        sorted_out, left = self.sorted_out(), dict.fromkeys(self.patterns)
        for name in self._asked(names):
            if not left:
                break
            for pattern in _meaning(sorted_out, left, name, self.way, tries):
                left.pop(pattern, None)
        return tuple(left)


class Tries(Struct):
    """How often patterns with wildcards were tried so far."""

    count: int = 0

    def add(self, more: int) -> None:
        """Count `more` tries; raises `Endless` past the bound."""
        self.count += more
        if self.count > MAX_TRIED:
            raise Endless


def full_names(
    prefixes: Iterable[str],
    modules: Iterable[str],
    layer: int | None,
    expert: int | None = None,
    own: Iterable[str] = (),
) -> Iterator[str]:
    """The names that modules may have in checkpoints of their model: of a layer, also behind beginnings of its `own`, and
    of an expert where they are written as those of expert 0."""
    starts = (*prefixes, *PREFIXES)
    for module in modules:
        named = module if not expert else EXPERT.sub(str(expert), module)
        if layer is not None:
            yield from (start + named for start in own)
            yield from (numbered(start, layer) + named for start in starts)
        else:
            yield from (named, f"model.{named}", f"language_model.{named}", f"mtp.{named}")
            yield from (start.partition("layers.")[0] + named for start in starts)


def _merged(module: str) -> Iterator[str]:
    """The name of the module that an engine merges this one into, if it does."""
    outer, dot, last = module.rpartition(".")
    if last in MERGED:
        yield f"{outer}{dot}{MERGED[last]}"


def numbered(start: str, layer: int) -> str:
    """The beginning of the names of a layer's modules."""
    return start.replace("{i}", str(layer))


def _plain(literal: frozenset[str], name: str, way: Way, tries: Tries) -> bool:
    if way in ("substring", "inside"):
        tries.add(len(literal))
    return bool(literal) and next(_plainly(literal, name, way), None) is not None


def _plainly(literal: Iterable[str], name: str, way: Way) -> Iterator[str]:
    """The plain patterns that mean a name."""
    if way == "substring":
        yield from (each for each in literal if each in name)
        return
    if way == "exact":
        yield from (name,) if name in literal else ()
        return
    if way == "inside":
        yield from (each for each in literal if each + "." in name)
        yield from (each for each in (name, name.rpartition(".")[2]) if each in literal)
        return
    at = 0
    while (at := name.find(".", at + 1)) > 0:
        for part in (name[:at], name[at + 1 :]):
            if part in literal:
                yield part
    if name in literal:
        yield name


def _begun(found: _SortedOut, name: str) -> str | None:
    """The first pattern of a name's beginning, without its star."""
    return next((name[:end] for end in found.lengths if name[:end] in found.begun), None)


def _wild(wild: tuple[tuple[str, re.Pattern[str]], ...], name: str, tries: Tries) -> str | None:
    tries.add(len(wild))
    return next((text for text, each in wild if each.match(name) is not None), None)


def _meaning(found: _SortedOut, left: dict[str, None], name: str, way: Way, tries: Tries) -> list[str]:
    """The patterns among those left that mean a name."""
    meant = list(_plainly(found.plain, name, way)) if found.plain else []
    meant += [f"{name[:end]}*" for end in found.lengths if name[:end] in found.begun]
    waiting = [(text, each) for text, each in found.wild if text in left]
    tries.add(len(waiting))
    return meant + [text for text, each in waiting if each.match(name) is not None]


def _sorted_out(patterns: tuple[str, ...]) -> _SortedOut:
    """Patterns sorted out; raises `Endless` where too many are of no simple form."""
    plain, begun, wild = set(), set(), []
    for each in patterns:
        if each.startswith("re:"):
            wild.append(each)
        elif not any(sign in each for sign in _WILD):
            plain.add(each)
        elif each.endswith("*") and not any(sign in each[:-1] for sign in _WILD):
            begun.add(each[:-1])
        else:
            wild.append(each)
    if len(wild) > MAX_WILD:
        raise Endless
    lengths = tuple(sorted({len(each) for each in begun}))
    return _SortedOut(
        frozenset(plain),
        frozenset(begun),
        lengths,
        tuple((each, readable(each)) for each in wild),
        _by_expert(patterns),
        _digits(patterns),
    )


def _by_expert(patterns: tuple[str, ...]) -> bool:
    bare = (_OF_LAYER.sub("", each) for each in patterns)
    return any(_NUMBER.search(each) is not None or "?" in each or "[" in each for each in bare)


def _digits(patterns: tuple[str, ...]) -> frozenset[str] | None:
    found: set[str] = set()
    for each in patterns:
        bare = _OF_LAYER.sub("", each)
        if (
            "?" in bare
            or "[" in bare
            or _PIECES.search(bare) is not None
            or (each.startswith("re:") and _NUMBER.search(bare) is not None)
        ):
            return None
        found.update(_RUN.findall(bare))
    return frozenset(found)


@lru_cache(maxsize=64)
def alike(digits: frozenset[str] | None, count: int) -> tuple[tuple[int, int], ...]:
    """The first of each group of experts that no pattern tells from each other, with how many these are.

    A number stands between dots, so that a run of digits in a pattern meets it whole, with its beginning or end where
    the pattern or a star ends there, or anywhere in it; no two runs of a pattern meet one number. Without `digits` each expert is a group of its own.
    """
    if digits is None:
        return tuple((number, 1) for number in range(count))
    groups: dict[tuple[tuple[str, bool, bool, bool], ...], tuple[int, int]] = {}
    for number in range(count):
        text = str(number)
        key = tuple(
            (run, run == text, text.startswith(run), text.endswith(run)) for run in digits if run in text
        )
        first, many = groups.get(key, (number, 0))
        groups[key] = (first, many + 1)
    return tuple(groups.values())


@lru_cache(maxsize=4_096)
def readable(pattern: str) -> re.Pattern[str]:
    """A pattern with `*`, `?` or `[…]`, or one behind `re:`, as a safe expression that matches from a name's start;
    raises `Unreadable`."""
    if len(pattern) > MAX_PATTERN:
        raise Unreadable
    if not pattern.startswith("re:") and pattern.count("*") > MAX_STARS:
        raise Unreadable
    try:
        if pattern.startswith("re:"):
            return re.compile("".join(_pieces(pattern.removeprefix("re:"))))
        return re.compile("".join(_glob(pattern)) + r"(?:\..*)?\Z")
    except re.error:
        raise Unreadable from None


_GLOB: Final = re.compile(r"\*|\?|\[(?P<not>!?)(?P<set>[\w\-]+)\]|[^*?\[]")


def _glob(text: str) -> Iterator[str]:
    """The pieces of a pattern as shells read them."""
    at = 0
    while at < len(text):
        found = _GLOB.match(text, at)
        if found is None:
            raise Unreadable
        if found["set"]:
            yield f"[{'^' * bool(found['not'])}{found['set']}]"
        else:
            yield {"*": ".*", "?": "."}.get(found[0], re.escape(found[0]))
        at = found.end()


def _pieces(text: str) -> Iterator[str]:
    """The pieces of an expression that real files use: letters, dots, `.*`, `\\d+`, sets, and choices of plain words."""
    at, stars = 0, 0
    while at < len(text):
        found = _PIECE.match(text, at)
        if found is None or (found["choice"] or "").count("|") > MAX_CHOICES:
            raise Unreadable
        piece = found[0]
        stars += piece.startswith(".*") or piece in (r"\d+", r"\w+")
        if stars > MAX_STARS or text[found.end() : found.end() + 1] in tuple("*+?{"):
            raise Unreadable
        yield (
            "(?:" + "|".join(map(re.escape, found["choice"].replace("\\.", ".").split("|"))) + ")"
            if found["choice"]
            else piece
        )
        at = found.end()
