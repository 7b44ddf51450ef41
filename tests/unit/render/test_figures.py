"""How values are printed: points, ranges, bounds, estimates, open ones."""

from fractions import Fraction

import pytest

from capwright.document.plandoc import UnitText
from capwright.render.figures import (
    Ends,
    established,
    exactly,
    headline,
    headlined,
    in_full,
    numerals,
    numerals_together,
    spanned,
    spans,
)
from capwright.render.pieces import Numeral, plain

MS = UnitText("ms", "1/1000", {"second": 1})
GIB = UnitText("GiB", str(2**30), {"byte": 1})
PERCENT = UnitText("%", "1/100", {})
SQUARE = UnitText("token^2", "1", {"token": 2})


def ends(unit, low, nominal, high, **more):
    parts = (None if part is None else Fraction(part) for part in (low, nominal, high))
    return Ends("a.b", "a.b", unit, *parts, **more)


@pytest.mark.parametrize(
    ("value", "head", "held"),
    [
        (ends(GIB, 2**30, 2**30, 2**30), "1 GiB", "exact"),
        (ends(MS, "0.0152", None, None), "≥ 15.2 ms", "lower bound"),
        (ends(MS, None, None, "0.04"), "≤ 40 ms", "upper bound"),
        (ends(MS, "0.0361", None, "0.041"), "36.1 .. 41.0 ms", "36.1 .. 41.0 ms"),
        (ends(PERCENT, "0.7", "0.8", "0.9"), "80%", "70 .. 90%"),
        (ends(MS, None, "0.033", None), "~ 33 ms", "nothing"),
        (ends(MS, None, None, None), "open", "nothing"),
        (ends(SQUARE, 9, 9, 9), "9 token²", "exact"),
        (ends(MS, "0.0317", "0.0319", "0.0321", approximate=True), "≈ 31.9 ms", "31.7 .. 32.1 ms"),
        (ends(SQUARE, 422, 422, 422, approximate=True), "≈ 422 token²", "approximate"),
    ],
)
def test_headline_and_what_is_established(value, head, held):
    assert plain(headline(value)).replace("\xa0", " ") == head
    assert plain(established(value)).replace("\xa0", " ") == held


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (ends(MS, "0.0149", "0.0158", "0.0165"), "15.8 (14.9 .. 16.5) ms"),
        (ends(MS, None, "0.0158", "0.0165"), "15.8 (≤ 16.5) ms"),
        (ends(MS, "0.0149", "0.0158", "0.0165", approximate=True), "≈ 15.8 (14.9 .. 16.5) ms"),
    ],
)
def test_a_value_beside_another_has_its_range(value, said):
    assert spans(value)
    assert plain(spanned(value, numerals(value))).replace("\xa0", " ") == said


def test_ends_that_are_a_rounding_apart_are_no_range():
    root = [f"1.73205080{digits}" for digits in ("75", "76", "77")]
    assert not spans(ends(GIB, *(Fraction(end) * 2**30 for end in root), approximate=True))
    assert not spans(ends(MS, "0.0158", "0.0158", "0.0158"))
    assert not spans(ends(MS, "0.0158", None, None))


def test_one_value_has_the_same_digits_in_a_table_and_beside_others():
    value = ends(GIB, *(Fraction(end) * 2**30 for end in ("8.0071", "10.1431", "10.8791")))
    other = ends(GIB, *(Fraction(end) * 2**30 for end in ("52.1234", "54.1234", "55.9876")))
    beside = numerals_together([value, other])
    for one, printed in zip((value, other), beside, strict=True):
        assert {part: numeral.text for part, numeral in printed.items()} == {
            part: numeral.text for part, numeral in numerals(one).items()
        }


def test_a_value_in_full_says_both():
    value = ends(PERCENT, "0.7", "0.8", "0.9")
    assert plain(in_full(value)) == "80% (established: 70 .. 90%)"


def test_exactly_is_in_base_units_where_these_are_whole():
    value = ends(GIB, 3 * 2**29, 3 * 2**29, 3 * 2**29)
    assert plain(exactly(value)).replace("\xa0", " ") == "1,610,612,736 byte"
    assert [piece.unit for piece in exactly(value) if isinstance(piece, Numeral)] == ["byte"]
    assert plain(exactly(ends(MS, "1/3000", None, None))).replace("\xa0", " ") == "low 1/3 ms"
    assert exactly(ends(SQUARE, 9, 9, 9)) == ()


def test_both_sides_of_a_comparison_differ_in_print_if_they_differ():
    a = ends(GIB, 80 * 10**9, 80 * 10**9, 80 * 10**9)
    b = ends(GIB, 80 * 10**9 + 1, 80 * 10**9 + 1, 80 * 10**9 + 1)
    left, right = numerals_together([a, b])
    assert left["nominal"].text != right["nominal"].text


def test_eighty_gigabytes_are_not_eighty_gibibytes():
    left, right = numerals_together([ends(GIB, *[80 * 10**9] * 3), ends(GIB, *[80 * 2**30] * 3)])
    assert (left["nominal"].text, right["nominal"].text) == ("74.51", "80")


def test_every_digit_of_a_value_is_a_numeral_or_a_unit():
    for value in (ends(SQUARE, 1, 2, 3), ends(MS, "1/3", None, None), ends(GIB, 1, 5, 7)):
        for pieces in (headline(value), established(value), in_full(value), exactly(value)):
            for piece in pieces:
                if type(piece).__name__ == "Words":
                    assert not any(sign.isdigit() for sign in piece.text)


NUMBER = UnitText("", "1", {})


def about(value):
    return ends(NUMBER, value - Fraction(1, 10**18), value, value + Fraction(1, 10**18), approximate=True)


def test_an_approximate_value_has_the_digits_of_any_other():
    root = about(Fraction(1_732_050_807_568_877_293, 10**18))
    assert plain(headline(root)) == "≈ 1.732"
    assert plain(in_full(root)) == "≈ 1.732 (established: 1.732 .. 1.733)"


def test_two_approximate_values_get_the_digits_that_tell_them_apart():
    both = [about(Fraction(17_320_508, 10**7)), about(Fraction(17_320_797, 10**7))]
    assert [parts["nominal"].text for parts in numerals_together(both)] == ["1.73205", "1.73208"]


def test_an_estimate_is_one_whatever_is_printed_of_it():
    value = ends(NUMBER, 1, 3, 5)
    assert plain(headline(value, numerals_together([headlined(value)])[0])) == "3"
    assert plain(headline(headlined(value))) == "~ 3"
