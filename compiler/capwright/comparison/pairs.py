"""Two documents as one graph: every formula once, with a choice wherever the two sides differ.

A choice (`select`) takes one side or the other by its *player*, the changed declaration that it is blamed on. With
all switches on one side the graph is that side's document; with some on each it is a document that nobody wrote,
which is what attribution needs. Keys of the graph are `("=", name)` for a quantity that both sides have,
`("~", a, b, whose)` for two that stand in one place, and `("a", address, whose)` or `("b", address, whose)` for what only
one side has. What several things share is there once for each on whose behalf it may have changed otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.address import formula_of, under
from capwright.comparison.scopes import Scopes
from capwright.comparison.sides import Side, bare
from capwright.document.plandoc import Quantity, Tree
from capwright.document.retape import Definition, Key, definition, parts_of, with_parts

Letter = Literal["a", "b"]
LETTERS: Final[tuple[Letter, Letter]] = ("a", "b")
_NEUTRAL: Final = {"add": "0", "mul": "1", "and": "1", "or": "0"}
_ANY_ORDER: Final = frozenset({"add", "mul", "and", "or", "min", "max"})


class Choice(Struct, frozen=True):
    """One place where the sides differ: whose formula, and the two trees (None where a side has none there).

    `measured` says that the trees are of measurements, `asked` that they are of the sides of a requirement. `whose` is
    the thing or the number of the plan on whose behalf it is asked; empty where it is of no single one.
    """

    before: Quantity
    after: Quantity
    before_tree: Tree | None
    after_tree: Tree | None
    measured: bool = False
    asked: bool = False
    whose: str = ""


class Pairs:
    """The graph, made when asked for. `aligned` are pairs of addresses that mean one thing on the two sides."""

    def __init__(self, a: Side, b: Side, aligned: tuple[tuple[str, str], ...]) -> None:
        self.a = a
        self.b = b
        self.aligned = aligned
        self.scopes = Scopes(a, b, aligned)
        self._turning: dict[tuple[Letter, str], bool] = {}
        self.matched = {name: name for name in a.public.keys() & b.public.keys()}
        self.definitions: dict[Key, Definition] = {}
        self.choices: list[tuple[Choice, Tree]] = []
        """Every choice with its tree, whose player is not known yet."""
        self.same: set[Key] = set()
        """Keys of quantities that both sides define alike."""
        self.merged: dict[Key, Choice] = {}
        """Formulas of one shape on the two sides, by key: choices stand in them only where they differ."""
        self._waiting: list[Key] = []

    def key(self, name: str) -> Key:
        """The key of a quantity that both sides have under `name`."""
        return self._pair(self.a.public[name], self.b.public[name], self.scopes.whose(name))

    def build(self) -> None:
        """Work out every definition that was asked for, and all below them."""
        while self._waiting:
            key = self._waiting.pop()
            if key in self.definitions:
                continue
            match key:
                case ("a" | "b" as letter, str(address), str(whose)):
                    held = self.side(letter).found[address]
                    self.definitions[key] = self._lone_definition(letter, held, whose)
                case ("=", str(name)):
                    self._define(key, self.a.public[name], self.b.public[name], self.scopes.whose(name))
                case ("~", str(before), str(after), str(whose)):
                    self._define(key, self.a.found[before], self.b.found[after], whose)

    def formula(self, before: Tree, after: Tree, of: Choice) -> Tree:
        """A tree over keys for two trees that stand in one place, such as the sides of a requirement."""
        return self._merge(before, after, of)

    def want(self, key: Key) -> Key:
        """Have a definition worked out, when all are built."""
        if key not in self.definitions:
            self._waiting.append(key)
        return key

    def _define(self, key: Key, before: Quantity, after: Quantity, whose: str) -> None:
        one, two = definition(before), definition(after)
        alike = (one.relation, one.low, one.high, one.whole) == (two.relation, two.low, two.high, two.whole)
        if self.a.defined(before, self.matched) == self.b.defined(after, self.matched):
            self.same.add(key)
        ours, theirs = self.scopes.seen(self.a, before, whose), self.scopes.seen(self.b, after, whose)
        choice = Choice(ours, theirs, before.formula, after.formula, whose=whose)
        name = self.a.own_name(before)
        if alike and before.formula is not None and after.formula is not None:
            tree = self._merge(before.formula, after.formula, choice)
            self.definitions[key] = replace(one, name=name, tree=tree)
            self.merged[key] = choice
            return
        mine, other = self._alone("a", before, whose), self._alone("b", after, whose)
        self.definitions.setdefault(mine, self._lone_definition("a", before, whose))
        self.definitions.setdefault(other, self._lone_definition("b", after, whose))
        self.definitions[key] = Definition(name, self._select(_ref(mine), _ref(other), choice))

    def part(self, key: Key) -> None:
        """Make one choice of two formulas that were merged: some state may have neither's shape."""
        choice = self.merged.pop(key)
        held = self.definitions[key]
        if choice.before_tree is not None and choice.after_tree is not None:
            self.definitions[key] = replace(
                held, tree=self._differ(choice.before_tree, choice.after_tree, choice)
            )

    def _lone_definition(self, letter: Letter, quantity: Quantity, whose: str) -> Definition:
        held = definition(quantity)
        side = self.side(letter)
        name = side.names.get(quantity.address, (quantity.address,))[0]
        return replace(held, name=name, tree=self.lone(held.tree, letter, whose))

    def side(self, letter: Letter) -> Side:
        """The side of a letter."""
        return self.a if letter == "a" else self.b

    def lone(self, tree: Tree, letter: Letter, whose: str) -> Tree:
        """A tree of one side. What it refers to is still shared with the other side where that has it too."""
        op = tree["op"]
        if op == "ref":
            return _ref(self.lone_key(tree["address"], letter, whose))
        made: dict[str, Any] = dict(tree)
        if op == "assume":
            made["source"] = self.side(letter).source(tree["source"])
        return with_parts(made, [self.lone(part, letter, whose) for part in parts_of(tree)])

    def lone_key(self, address: str, letter: Letter, whose: str) -> Key:
        """The key of what one side has at an address, which the other may have too, on behalf of one that leads there."""
        side = self.side(letter)
        quantity = side.found.get(address)
        if quantity is None:
            return ("missing", letter, address)
        names = [name for name in side.names.get(quantity.address, ()) if name in self.matched]
        name = self._called(names, whose)
        if name is not None:
            return self.want(("=", name))
        if not quantity.internal and not names:
            whose = self.scopes.whose(side.own_name(quantity))
        return self.alone(letter, quantity, whose)

    def alone(self, letter: Letter, quantity: Quantity, whose: str) -> Key:
        """The key of what only one side has, on behalf of one that leads there."""
        return self.want(self._alone(letter, quantity, whose))

    def _alone(self, letter: Letter, quantity: Quantity, whose: str) -> Key:
        return (letter, quantity.address, whose if self._turns(letter, quantity) else "")

    def _turns(self, letter: Letter, quantity: Quantity) -> bool:
        """Whether what one side has depends on whose behalf it is asked: it refers to what
        rebound fields count for, and may have by its own or by those of another."""
        if not self.scopes.contested:
            return False
        key = (letter, quantity.address)
        found = self._turning.get(key)
        if found is None:
            found = self._turning[key] = False  # for itself, in a circle
            side = self.side(letter)
            for held in side.below(quantity):
                if held.internal:
                    found = found or self._turns(letter, held)
                else:
                    names = [name for name in side.names[held.address] if name in self.matched]
                    found = found or any(self.scopes.of(self.scopes.top(name)) for name in names)
            self._turning[key] = found
        return found

    def _pair(self, before: Quantity, after: Quantity, whose: str) -> Key:
        ours, theirs = self.a.names.get(before.address, ()), self.b.names.get(after.address, ())
        common = [name for name in ours if name in theirs]
        name = self._called(common, whose)
        if name is not None:
            return self.want(("=", name))
        return self.want(("~", before.address, after.address, whose))

    def _called(self, names: Sequence[str], whose: str) -> str | None:
        """The name that something goes by on behalf of one that leads to it. Those for which the same fields count have it
        in common; none where all have it by other ways."""
        if not self.scopes.contested:
            return next(iter(names), None)
        top, top_of = self.scopes.top(whose), self.scopes.top
        own = [name for name in names if top_of(name) == top]
        if not own and whose:
            reached = self.scopes.reached(top)
            own = [name for name in names if top_of(name) in reached or not self.scopes.of(top_of(name))]
            if not own:
                return None
        own = own or list(names)
        first = next(iter(names), None)
        return first if first is None or self.scopes.alike(top_of(own[0]), top_of(first)) else own[0]

    def _merge(self, one: Tree, two: Tree, choice: Choice) -> Tree:
        op = one["op"]
        if "effective" in (op, two["op"]):
            return self._measured(one, two, choice)
        if op != two["op"] or not _alike(one, two):
            return self._differ(one, two, choice)
        if op == "ref":
            return self._referred(one, two, choice)
        if op in ("const", "var", "held"):
            return one
        if op in _ANY_ORDER:
            return self._any_order(one, two, choice)
        if len(one.get("args", ())) != len(two.get("args", ())):
            return self._differ(one, two, choice)
        made: dict[str, Any] = dict(one)
        if op == "assume":
            made["source"] = self.a.source(one["source"])
        parts = zip(parts_of(one), parts_of(two), strict=True)
        return with_parts(made, [self._merge(x, y, choice) for x, y in parts])

    def _measured(self, one: Tree, two: Tree, choice: Choice) -> Tree:
        """A quantity that is read together with a measurement, on one side at least: what is derived is merged as ever."""
        (ours, mine), (others, theirs) = _derived_and_measured(one), _derived_and_measured(two)
        derived = self._merge(ours, others, choice)
        made = replace(choice, before_tree=mine, after_tree=theirs, measured=True)
        if mine is not None and theirs is not None:
            same = self.a.signature(mine, self.matched) == self.b.signature(theirs, self.matched)
            held = self.lone(mine, "a", choice.whose)
            measured = held if same else self._select(held, self.lone(theirs, "b", choice.whose), made)
            return {"op": "effective", "args": [derived, measured]}
        before = (
            derived
            if mine is None
            else {"op": "effective", "args": [derived, self.lone(mine, "a", choice.whose)]}
        )
        after = (
            derived
            if theirs is None
            else {"op": "effective", "args": [derived, self.lone(theirs, "b", choice.whose)]}
        )
        return self._select(before, after, made)

    def _referred(self, one: Tree, two: Tree, choice: Choice) -> Tree:
        before, after = self.a.found.get(one["address"]), self.b.found.get(two["address"])
        if before is None or after is None:
            return self._differ(one, two, choice)
        key = self._pair(before, after, choice.whose) if self._belong(before, after) else None
        return _ref(key) if key is not None else self._differ(one, two, choice)

    def _belong(self, before: Quantity, after: Quantity) -> bool:
        """Whether two quantities stand for one thing: by a common name, a place, or an alignment."""
        if before.internal and after.internal:
            return formula_of(before.address) == formula_of(after.address)
        if before.internal or after.internal:
            return False
        ours, theirs = self.a.names[before.address], self.b.names[after.address]
        if not set(ours).isdisjoint(theirs):
            return True
        for top_a, top_b in self.aligned:
            rests = {rest for name in ours if (rest := under(name, top_a)) is not None}
            if any(under(name, top_b) in rests for name in theirs):
                return True
        return False

    def _any_order(self, one: Tree, two: Tree, choice: Choice) -> Tree:
        """Operands that mean the same are paired first, wherever they stand; the rest in order."""
        op = one["op"]
        kept, mine, theirs = self._sorted_out(one["args"], two["args"])
        if len(mine) != len(theirs) and op not in _NEUTRAL:
            return self._differ(one, two, choice)
        args = [self._merge(x, y, choice) for x, y in kept]
        neutral: Tree = {"op": "const", "value": _NEUTRAL.get(op, "0")}
        for at in range(max(len(mine), len(theirs))):
            if at < len(mine) and at < len(theirs):
                args.append(self._merge(mine[at], theirs[at], choice))
            elif at < len(mine):
                gone = replace(choice, before_tree=mine[at], after_tree=None)
                args.append(self._select(self.lone(mine[at], "a", choice.whose), neutral, gone))
            else:
                new = replace(choice, before_tree=None, after_tree=theirs[at])
                args.append(self._select(neutral, self.lone(theirs[at], "b", choice.whose), new))
        return {"op": op, "args": args}

    def _sorted_out(
        self, ours: list[Tree], others: list[Tree]
    ) -> tuple[list[tuple[Tree, Tree]], list[Tree], list[Tree]]:
        """Operands in pairs of one meaning, and what is left on either side."""
        theirs: dict[int, list[Tree]] = {}
        for tree in reversed(others):
            theirs.setdefault(self.b.signature(tree, self.matched), []).append(tree)
        kept: list[tuple[Tree, Tree]] = []
        mine: list[Tree] = []
        for tree in ours:
            found = theirs.get(self.a.signature(tree, self.matched))
            if found:
                kept.append((tree, found.pop()))
            else:
                mine.append(tree)
        left = {id(tree) for held in theirs.values() for tree in held}
        return kept, mine, [tree for tree in others if id(tree) in left]

    def _differ(self, one: Tree, two: Tree, choice: Choice) -> Tree:
        made = replace(choice, before_tree=one, after_tree=two)
        return self._select(self.lone(one, "a", choice.whose), self.lone(two, "b", choice.whose), made)

    def _select(self, before: Tree, after: Tree, choice: Choice) -> Tree:
        made: Tree = {"op": "select", "player": -1, "args": [before, after]}
        self.choices.append((choice, made))
        return made


def other_side(letter: Letter) -> Letter:
    """The other of the two sides."""
    return "b" if letter == "a" else "a"


def _ref(key: Key) -> Tree:
    return {"op": "ref", "address": key}


def _derived_and_measured(tree: Tree) -> tuple[Tree, Tree | None]:
    """What is derived of a quantity, and what is measured of it, if anything."""
    return (tree["args"][0], tree["args"][1]) if tree["op"] == "effective" else (tree, None)


def _alike(one: Tree, two: Tree) -> bool:
    """Whether two trees of one op say the same apart from what stands below them."""
    match one["op"]:
        case "const":
            return bool(one["value"] == two["value"])
        case "held":
            return bool(one["value"] == two["value"])
        case "var":
            return bool(one["name"] == two["name"])
        case "pow":
            return bool(one["exponent"] == two["exponent"])
        case "ceil" | "floor":
            return bool(one["step"] == two["step"])
        case "kernel":
            if one["function"] != two["function"]:
                return False
            return [bare(each) for each in one["static"]] == [bare(each) for each in two["static"]]
        case "search":
            return all(one[key] == two[key] for key in ("which", "variable", "step"))
        case "assume":
            return all((one[key] is None) == (two[key] is None) for key in ("low", "high"))
        case _:
            return True
