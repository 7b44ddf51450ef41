"""How addresses are read, and what they are called after a renaming."""

from __future__ import annotations

import pytest

from capwright.base.address import (
    Renaming,
    bases_of,
    depth_of,
    formula_of,
    is_called,
    is_option_of,
    measurement_address,
    name_of,
    option_address,
    option_of,
    owner_of,
    thing_of,
    top_of,
    under,
)

OPTIONS = ("r@o", "r@o@p", "tp4@r")


@pytest.mark.parametrize(
    ("address", "moves", "new"),
    [
        ("r.cost", {"r": "s"}, "s.cost"),
        ("room.cost", {"r": "s"}, "room.cost"),
        ("r", {"r": "s"}, "s"),
        ("r@o.cost", {"r": "s"}, "s@o.cost"),
        ("r@o", {"r": "s"}, "s@o"),
        ("r@o@p.cost", {"r": "s"}, "s@o@p.cost"),
        ("time!night", {"time": "wait"}, "wait!night"),
        ("r@o.time!night", {"r.time": "r.wait"}, "r@o.wait!night"),
        ("r.cost/f[a]#2", {"r.cost": "r.price"}, "r.price/f[a]#2"),
        ("r#here.x", {"r": "s"}, "s#here.x"),
        ("r@o.cost", {"r@o": "r@q"}, "r@q.cost"),
        ("r@o.cost", {"r@o": "s@q", "r": "s"}, "s@q.cost"),
        ("r@o@p.cost", {"r@o": "r@q"}, "r@q@p.cost"),
        ("r@o.cost", {"r.cost": "r.price"}, "r@o.price"),
        ("r@o@p.in.x", {"r@o.in": "r@o.out"}, "r@o@p.out.x"),
        ("r@o.cost", {"r.cost": "s.price", "r": "s"}, "s@o.price"),
        ("r@o.cost", {"r.cost": "other.price"}, "r@o.cost"),
        ("r@o.cost", {"r@o": "r@q", "r.cost": "r.price"}, "r@q.price"),
        ("total@r@o", {"r": "s"}, "total@s@o"),
        ("total@r@o", {"total": "sum"}, "sum@r@o"),
        ("total@r@o@p", {"total": "sum", "r@o": "r@q"}, "sum@r@q@p"),
        ("total@r@o.x", {"total.x": "total.y"}, "total@r@o.y"),
        ("total@r@o", {"total": "box.total"}, "total@r@o"),
        ("r@o.cost", {"r": "site.r"}, "r@o.cost"),
        ("r@o", {"o": "x"}, "r@o"),
        ("tp4@r", {"r": "s"}, "tp4@r"),
        ("a", {"a": "b", "b": "a"}, "b"),
        ("a.x", {"a": "b", "a.x": "c.y"}, "c.y"),
    ],
)
def test_a_name_takes_along_all_that_is_named_after_it(address, moves, new):
    assert Renaming(moves, OPTIONS)(address) == new
    assert list(Renaming(moves, OPTIONS).all([address])) == [new]


def test_without_moves_nothing_is_renamed():
    assert Renaming({}, OPTIONS)("r@o.cost") == "r@o.cost"
    assert list(Renaming({}).all(["r"])) == ["r"]


def test_an_address_is_read_as_it_is_made():
    option = option_address(option_address("prod", "tp8"), "large")
    assert option == "prod@tp8@large"
    assert bases_of(option) == ("prod@tp8", "prod")
    assert (depth_of(option), depth_of("prod")) == (2, 0)
    assert (name_of(option), name_of("prod")) == ("large", "prod")
    assert all(is_option_of(option, base) for base in bases_of(option))
    assert not any(is_option_of("prod@tp8", each) for each in ("prod@tp8", "pro", "prod@tp80"))
    assert bases_of("prod") == ()
    assert {top_of(f"prod@tp8{rest}") for rest in ("", ".a.b", "!m", "/f", "#x")} == {"prod@tp8"}
    assert measurement_address("prod.itl", "night") == "prod.itl!night"
    assert (owner_of("prod.cost/f[a.b]#2"), owner_of("prod.cost")) == ("prod.cost", "prod.cost")
    assert (formula_of("prod.cost/f[a.b]#2"), formula_of("prod.cost/g#2")) == ("f", "g")
    assert thing_of("card#prod.card") == "card"


def test_what_is_of_an_option_is_its_own_or_made_for_it():
    mine = ["prod@tp8", "prod@tp8.pool", "tp4@prod@tp8.tensor", "prod@tp8/f"]
    assert {option_of(each, ["prod@tp8"]) for each in mine} == {"prod@tp8"}
    others = ["prod.pool", "prod@tp80.pool", "xprod@tp8.pool", "prod@tp8@large.pool", "a.prod@tp8"]
    assert {option_of(each, ["prod@tp8"]) for each in others} == {None}


def test_an_option_of_an_option_is_not_made_for_one_that_is_called_like_its_end():
    """`b` is an option of `x@a`, and also of a thing `a`: what lies in `x@a@b` is that one's alone."""
    options = ["x@a", "x@a@b", "a@b"]
    assert option_of("x@a@b.size", options) == "x@a@b"
    assert option_of("x@a@b.size", ["x@a", "a@b"]) == "a@b"
    assert option_of("x@c@a@b.size", options) == "a@b"
    assert option_of("y@x@a@b", options) == "x@a@b"


def test_an_option_is_called_by_its_last_names():
    assert all(is_called("prod@tp8", each) for each in ("tp8", "prod@tp8"))
    assert not any(is_called("prod@tp8", each) for each in ("p8", "prod", "other@tp8"))


def test_options_and_measurements_of_something_do_not_lie_below_it():
    assert (under("r.a.b", "r"), under("r.a/f", "r.a"), under("r", "r")) == ("a.b", "f", "")
    assert {under(each, "r") for each in ("r@o", "r!m", "room", "s")} == {None}
