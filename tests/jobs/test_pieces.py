"""Pieces of work on threads and in processes: results in order, whoever does them."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from itertools import count, takewhile

import pytest

from counterpoise.errors import Cancelled, InputError
from counterpoise.jobs import LinearBlocks
from counterpoise.jobs.pieces import Work
from counterpoise.jobs.processes import check_processes, map_in_order
from counterpoise.progress import CancelToken


def test_threads_yield_in_the_order_of_the_pieces() -> None:
    def slow_first(number: int) -> int:
        time.sleep(0.02 if number == 0 else 0.0)
        return number * number

    for threads in (1, 3):
        assert list(Work(threads).map(slow_first, range(6))) == [0, 1, 4, 9, 16, 25]
        assert sorted(Work(threads).as_finished(slow_first, range(6))) == [(k, k * k) for k in range(6)]


def test_a_cancelled_map_raises_and_leaves_nothing_running() -> None:
    work = Work(2)
    work.cancel.cancel()
    with pytest.raises(Cancelled):
        list(work.map(lambda piece: piece, range(5)))
    assert list(work.as_finished(lambda piece: piece, range(5))) == []


def multiplier(factor: int) -> Callable[[int], int]:
    return lambda number: factor * number


def test_processes_yield_in_order_and_plan_as_they_go() -> None:
    make = functools.partial(multiplier, 3)
    for processes in (1, 2):
        found = list(map_in_order(make, make(), ((k,) for k in range(7)), processes, CancelToken()))
        assert found == [0, 3, 6, 9, 12, 15, 18]
    sums: list[int] = []
    plan = takewhile(lambda piece: sum(sums) < 30, ((k,) for k in count()))
    for product in map_in_order(make, make(), plan, 1, CancelToken()):
        sums.append(product)
    assert sums == [0, 3, 6, 9, 12]


def test_what_cannot_be_sent_and_too_many_processes_are_refused() -> None:
    with pytest.raises(InputError, match="cannot be sent to other processes"):
        list(map_in_order(lambda: abs, abs, iter([(1,)]), 2, CancelToken()))
    with pytest.raises(InputError, match="processes must be a whole number from 1 to"):
        check_processes(0)


def test_linear_blocks_weigh_the_nth_block_n_times() -> None:
    """After all blocks the first counts 1, the second 2, and so on, up to one common factor."""

    class Walks:
        def __init__(self) -> None:
            self.iteration, self.weights = 0, dict[int, float]()

        def run(self, iterations: int) -> None:
            for number in range(self.iteration, self.iteration + iterations):
                self.weights[number] = 1.0
            self.iteration += iterations

        def discount(self, factor: float) -> None:
            self.weights = {number: factor * weight for number, weight in self.weights.items()}

    walks, blocks = Walks(), LinearBlocks(4)
    for until in (3, 9, 9, 10, 16, 16, 16, 20):
        blocks.advance(walks, until)
    relative = [walks.weights[number] / walks.weights[0] for number in range(0, 20, 4)]
    assert walks.iteration == 20
    assert relative == pytest.approx([1, 2, 3, 4, 5])
    assert LinearBlocks(4, start=2).end_after(2) == 6
    assert LinearBlocks(4, start=2).factor_at(2) == 1.0
