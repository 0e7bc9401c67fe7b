"""Things that are kept are made once, whoever asks, and again after a failure or when there was no room."""

import threading

import pytest

from counterpoise.spots.lru_cache import LruCache


def test_made_once_by_all_who_ask_at_the_same_time():
    cache, made, found, go = LruCache[object](most=2), [], [], threading.Event()

    def make():
        go.wait(30)
        made.append(object())
        return made[-1]

    asking = [threading.Thread(target=lambda: found.append(cache.get("one", make))) for _ in range(4)]
    for one in asking:
        one.start()
    assert not cache.has("one")
    go.set()
    for one in asking:
        one.join()
    assert len(made) == 1
    assert found == made * 4


def test_failures_are_not_kept_and_the_oldest_makes_room():
    cache = LruCache[int](most=2)
    with pytest.raises(ZeroDivisionError):
        cache.get(0, lambda: 1 // 0)
    assert [cache.get(key, lambda key=key: key) for key in (0, 1, 0, 2)] == [0, 1, 0, 2]
    assert [cache.has(key) for key in (0, 1, 2)] == [True, False, True]
