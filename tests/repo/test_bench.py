"""The table of timings says which aims are missed."""

from __future__ import annotations

import pytest

from tests.bench.__main__ import Aim, render, told
from tests.bench.measuring import Measured


def measured(seconds: float, megabytes: float = 0) -> Measured:
    return Measured(seconds=seconds, worst=seconds, megabytes=megabytes)


@pytest.mark.parametrize(
    ("aim", "found", "words"),
    [
        (Aim(), measured(9), ""),
        (Aim(0.2), measured(0.2), "0.2 s"),
        (Aim(0.2), measured(0.3), "0.2 s, **missed** × 1.5"),
        (Aim(20, 1_000), measured(8, 529), "20 s, 1,000 MB"),
        (Aim(20, 1_000), measured(8, 1_100), "20 s, 1,000 MB, **missed** × 1.1"),
    ],
)
def test_an_aim_says_whether_it_is_missed(aim, found, words):
    assert told(aim, found) == words


def test_the_table_counts_what_is_missed():
    rows = [("a", measured(1), Aim(2)), ("b", measured(3), Aim(2)), ("c", measured(3), Aim())]
    text = render(rows)
    assert "Of 2 aims 1 is missed, which the table marks." in text
    assert "| b | 3.000 s | 3.000 s |  | 2 s, **missed** × 1.5 |" in text
