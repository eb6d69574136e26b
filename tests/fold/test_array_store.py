"""Arrays that are kept in memory or on the disk come back as they were; what has no room is said."""

import os
import threading

import numpy as np
import pytest

from novum.exceptions import SourceError
from novum.fold.homes.array_store import ArrayStore
from novum.runtime.room import budget, disk_budget
from novum.runtime.scratch import ScratchFile


@pytest.fixture(params=["2GB", "0"], ids=["memory", "disk"])
def store(request, monkeypatch):
    monkeypatch.setenv("NOVUM_CACHE_MEMORY", request.param)
    held = budget.held, disk_budget.held
    store = ArrayStore()
    yield store
    store.close()
    assert (budget.held, disk_budget.held) == held


@pytest.mark.parametrize("kind", [*"?bBhHiIlLefdFD", "<U7", ">f8"])
def test_an_array_comes_back_as_it_was(store, kind):
    rng = np.random.default_rng(0)
    for shape in ((), (0,), (3,), (3, 0), (4, 5), (2, 3, 4)):
        for order in "CF":
            array = np.asarray((50 * rng.normal(size=shape)).astype(kind), order=order)
            store.put("k", array)
            found = store.get("k")
            np.testing.assert_array_equal(found, array)
            assert found.dtype == array.dtype and found.flags.f_contiguous == array.flags.f_contiguous
            assert not found.flags.writeable and "k" in store
    rows = rng.normal(size=(6, 6))
    store.put("k", rows[::2, ::3])
    np.testing.assert_array_equal(store.get("k"), rows[::2, ::3])
    assert list(store) == ["k"] and store.drop("k") and not store.drop("k") and store.get("k") is None


def test_room_is_used_again(store):
    for number in range(50):
        store.put("k", np.full(1000, number))
    if store.file is not None:
        assert store.file.end == 8000
    assert (store.get("k") == 49).all()


def test_threads_put_and_get_side_by_side(store):
    def work(own):
        for number in range(100):
            store.put((own, number % 7), np.full(500 + own, own * 1000 + number))
            found = store.get((own, number % 7))
            wrong.extend([own] * bool((found != own * 1000 + number).any()))

    wrong = []
    threads = [threading.Thread(target=work, args=(own,)) for own in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_an_offer_may_be_refused(monkeypatch):
    monkeypatch.setenv("NOVUM_CACHE_MEMORY", "1000")
    monkeypatch.setenv("NOVUM_CACHE_DISK", f"{disk_budget.held + 1000}")
    store, array = ArrayStore(), np.arange(100.0)
    before = budget.held
    monkeypatch.setenv("NOVUM_CACHE_MEMORY", f"{before + 1000}")
    assert store.offer(0, array, disk=False) and not store.offer(1, array, disk=False)
    assert store.offer(1, array, disk=True) and not store.offer(2, array, disk=True)
    np.testing.assert_array_equal(store.get(1), array)
    assert list(store) == [0, 1] and store.get(2) is None
    store.put(3, array)  # what nobody can make again goes beyond the share
    np.testing.assert_array_equal(store.get(3), array)
    del store
    assert budget.held == before


def full(*_):
    raise OSError(28, "No space left on device")


def test_a_full_disk(monkeypatch):
    """What can be made again is not kept; what cannot stops the fit with the folder and the remedy."""
    monkeypatch.setenv("NOVUM_CACHE_MEMORY", "0")
    held, store = disk_budget.held, ArrayStore()
    monkeypatch.setattr(os, "pwrite", full)
    assert not store.offer(0, np.arange(5), disk=True) and 0 not in store
    with pytest.raises(
        SourceError, match=r"cannot write to the temporary folder: No space left on device\. Free some of '.*TMPDIR"
    ):
        store.put(1, np.arange(5))
    assert disk_budget.held == held
    monkeypatch.undo()
    monkeypatch.setenv("NOVUM_CACHE_MEMORY", "0")
    store.put(1, np.arange(5))
    np.testing.assert_array_equal(store.get(1), np.arange(5))


def test_no_folder_to_write_to(monkeypatch, tmp_path):
    monkeypatch.setenv("NOVUM_CACHE_MEMORY", "0")
    monkeypatch.setenv("NOVUM_CACHE_DISK", "1GB")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    store = ArrayStore()
    assert not store.offer(0, np.arange(5), disk=True)
    with pytest.raises(SourceError, match=r"cannot write to the temporary folder: No such file.*TMPDIR"):
        store.put(1, np.arange(5))


def test_a_file_cut_short_is_noticed():
    file = ScratchFile()
    place = file.place(10)
    file.write(place, memoryview(bytes(range(10))))
    os.ftruncate(file.file.fileno(), 6)
    with pytest.raises(SourceError, match="was cut short"):
        file.read(place, memoryview(bytearray(10)))
    file.close()


def test_the_file_has_no_name(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("NOVUM_CACHE_MEMORY", "0")
    store = ArrayStore()
    store.put(0, np.arange(1000))
    assert list(tmp_path.iterdir()) == [] and os.fstat(store.file.file.fileno()).st_nlink == 0
    store.close()
