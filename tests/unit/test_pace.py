"""Limits of time can fail, whatever pace a machine has."""

from __future__ import annotations

import pytest

from tests.support.pace import demand_soon, within


def test_what_takes_far_too_long_is_refused():
    with pytest.raises(AssertionError, match="are allowed"):
        demand_soon(1_000, 0.5)


def test_a_block_is_timed():
    with within(1):
        pass
    with pytest.raises(AssertionError, match="are allowed"), within(0):
        sum(range(100_000))
