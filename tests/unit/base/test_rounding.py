"""Exact numbers to text and back."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from capwright.base.rounding import fraction_text, read, shown, shown_together
from tests.support.numerals import rounds_to

numbers = st.one_of(
    st.integers(-(10**25), 10**25),
    st.fractions(),
    st.builds(
        lambda n, d, e: Fraction(n, d) * Fraction(10) ** e,
        st.integers(),
        st.integers(1),
        st.integers(-30, 30),
    ),
)
directions = st.sampled_from(["nearest", "down", "up"])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (327_680, "327,680"),
        (-12, "−12"),
        (4_503_633_987_108_864, "4,503,633,987,108,864"),
        (Fraction(56, 10), "5.6"),
        (Fraction(67, 20), "3.35"),
        (Fraction(8_612_513, 262_144), "32.85"),
        (Fraction(1, 3), "0.3333"),
        (Fraction(1, 81), "0.01235"),
        (Fraction(10_000, 3), "3,333.3"),
        (Fraction(400, 3), "133.33"),
        (Fraction(29_999, 3), "9,999.7"),
        (10**21, "1e21"),
        (123_456 * 10**20, "1.235e25"),
        (Fraction(1, 3 * 10**7), "3.333e-8"),
        (Fraction(2_458, 10**9), "2.458e-6"),
        (Fraction(245_849, 10**11), "2.458e-6"),
        (Fraction(-1, 10**5), "−1e-5"),
        (Fraction(99_999_999, 10**12), "1.000e-4"),
        (Fraction(1, 10**4), "0.0001"),
        (Fraction(1, 7_000), "0.0001429"),
    ],
)
def test_the_text_of_a_number(value, text):
    assert shown(value) == text


def test_a_lower_bound_is_rounded_down_and_an_upper_bound_up():
    third = Fraction(100, 3)
    assert (shown(third, "down"), shown(third), shown(third, "up")) == ("33.33", "33.33", "33.34")
    assert (shown(-third, "down"), shown(-third, "up")) == ("−33.34", "−33.33")


@given(numbers, directions)
@example(Fraction(99_999, 100_000), "nearest")
@example(Fraction(-1, 10**6), "up")
def test_every_text_is_a_rounding_in_its_direction(value, direction):
    text = shown(value, direction)
    assert rounds_to(text, value, direction)
    assert rounds_to(text, read(text), direction)


@given(numbers, directions)
def test_a_text_that_is_off_by_a_digit_is_no_rounding(value, direction):
    text = shown(value, direction)
    place = max(index for index, sign in enumerate(text.partition("e")[0]) if sign.isdigit())
    wrong = f"{text[:place]}{(int(text[place]) + 5) % 10}{text[place + 1 :]}"
    assert not rounds_to(wrong, value, direction)


def test_whole_numbers_must_be_said_exactly():
    assert not rounds_to("327,681", 327_680)
    assert not rounds_to("33", Fraction(100, 3))
    assert rounds_to("100/3", Fraction(100, 3))
    assert not rounds_to("100/3", Fraction(100, 3) + Fraction(1, 10**9))


def test_a_bound_rounded_inward_is_refused():
    third = Fraction(100, 3)
    assert not rounds_to("33.34", third, "down")
    assert not rounds_to("33.33", third, "up")


@given(st.lists(st.tuples(numbers, directions), min_size=1, max_size=6).map(tuple))
@example(((Fraction(1, 3), "down"), (Fraction(1, 3), "up")))
@example(((Fraction(361_141, 10_000), "up"), (Fraction(361_149, 10_000), "down")))
def test_side_by_side_the_order_is_the_order_of_the_values(values):
    texts = shown_together(values)
    said = [read(text) for text in texts]
    for (a, _), x in zip(values, said, strict=True):
        for (b, _), y in zip(values, said, strict=True):
            assert (a > b) == (x > y)
            assert (a == b) == (x == y)
    assert all(rounds_to(text, value, way) for text, (value, way) in zip(texts, values, strict=True))


def test_one_range_gets_one_number_of_decimals():
    ends = ((Fraction(361, 10), "down"), (41, "up"))
    assert shown_together(ends, alike=False) == ("36.1", "41.0")
    assert shown_together(ends) == ("36.1", "41")


def test_a_range_has_the_digits_beside_others_that_it_has_alone():
    """By hand: 8.0071 has three decimals of its own, so has 10.143 in one range with it, and not as a number alone."""
    low, nominal = (Fraction(80_071, 10_000), "down"), (Fraction(101_431, 10_000), "nearest")
    assert shown_together((low, nominal), alike=False) == ("8.007", "10.143")
    other = (Fraction(541_234, 10_000), "nearest")
    assert shown_together((low, nominal, other), ranges=(0, 0, 1)) == ("8.007", "10.143", "54.12")
    # The same number as a part of the range and as one of its own: they print equal.
    assert shown_together((low, nominal, nominal), ranges=(0, 0, 1)) == ("8.007", "10.143", "10.143")
    # A bound beside it is rounded outward, in as many digits as it has alone.
    near = (Fraction(101_432, 10_000), "up")
    assert shown_together((low, nominal, near), ranges=(0, 0, 1)) == ("8.007", "10.143", "10.15")


def test_close_values_get_the_digits_that_part_them():
    a, b = Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**9)
    left, right = shown_together(((a, "nearest"), (b, "nearest")))
    assert left == "0.333333333"
    assert right == "0.333333334"


def test_values_that_no_reasonable_digits_part_are_printed_as_fractions():
    a, b = Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**60)
    assert shown_together(((a, "nearest"), (b, "nearest"))) == (fraction_text(a), fraction_text(b))
