"""Work on several cores comes back as work on one does."""

from __future__ import annotations

import os

import pytest

from capwright.commands import parallel
from capwright.commands.parallel import FEW, each, spread


@pytest.fixture(params=[1, 2, 3])
def cores(request, monkeypatch):
    """A machine of so many cores, whatever this one has."""
    monkeypatch.setattr(parallel, "_cores", lambda: request.param)
    return request.param


@pytest.mark.parametrize("items", range(6))
def test_results_stand_in_the_order_of_the_work(cores, items):
    assert spread(lambda one: one * one, range(items)) == [one * one for one in range(items)]


@pytest.mark.parametrize("items", [0, 1, FEW, FEW + 1, 70, 200])
def test_plans_come_back_in_the_order_of_the_work(cores, items):
    assert each(_square, range(items)) == [one * one for one in range(items)]


def _square(one: int) -> int:
    return one * one


@pytest.mark.parametrize("work", [1, 31, 32, 33, 199, 1_000])
def test_every_core_gets_as_many_batches(cores, work):
    size = parallel._even(work, cores)
    batches = -(-work // size)
    assert size <= parallel._BATCH
    assert batches <= cores * -(-work // (cores * parallel._BATCH))


def test_every_core_takes_its_share(cores):
    assert len(set(spread(lambda _: os.getpid(), range(6)))) == cores


@pytest.mark.parametrize("at", range(3))
def test_what_goes_wrong_is_told_here(cores, at):
    def do(one: int) -> int:
        if one == at:
            raise LookupError(one)
        return one

    with pytest.raises(LookupError, match=str(at)):
        spread(do, range(3))


def test_a_process_that_dies_leaves_nothing_undone(cores):
    here = os.getpid()

    def do(one: int) -> int:
        if os.getpid() != here:
            os._exit(9)
        return one

    assert spread(do, range(4)) == [0, 1, 2, 3]
