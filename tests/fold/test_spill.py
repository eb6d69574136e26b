"""Memory of blocks in files: what is set is found again in the next pass, and the folder goes away."""

from typing import NamedTuple

import numpy as np
import pytest

import novum
from novum.exceptions import SourceError
from novum.fold.homes.spill import BlockMemory, spill_blocks


class Count(NamedTuple):
    rows: int
    total: float


def remember(params, block):
    block.memory["double"] = params * block.X
    return Count(block.rows, float(block.X.sum()))


def recall(_, block):
    values = block.memory["double"]
    assert "double" in block.memory and "other" not in block.memory and block.memory.get("other") is None
    block.memory["double"] = values + 1
    return Count(block.rows, float(values.sum()))


def test_blocks_remember_and_forget(tmp_path):
    X = np.arange(60.0).reshape(20, 3)
    np.save(tmp_path / "x.npy", X)
    with spill_blocks(novum.scan(tmp_path / "x.npy", batch_rows=7), remember, 2.0) as (source, first):
        assert first == (20, X.sum())
        assert source.total(recall) == (20, 2 * X.sum())
        assert source.total(recall) == (20, 2 * X.sum() + 60)
        memory = source.first().memory
        assert list(memory) == ["double"] and len(memory) == 1
        np.testing.assert_array_equal(memory["double"], 2 * X[:7] + 2)
        parts = list(source.rows(lambda _, block: block.memory["double"]))
        np.testing.assert_array_equal(np.concatenate(parts), 2 * X + 2)
        del memory["double"]
        with pytest.raises(KeyError):
            memory["double"]
        folder = source.folder
    assert not folder.exists()


def test_a_failed_pass_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    np.save(tmp_path / "x.npy", np.zeros((4, 2)))

    def broken(_, block):
        block.memory["a"] = block.X
        raise ValueError("no")

    with (
        pytest.raises(ValueError, match="no"),
        spill_blocks(novum.scan(tmp_path / "x.npy"), broken, None),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]


@pytest.mark.parametrize("kind", "?bBhHiIlLefdFD")
def test_an_array_comes_back_as_it_was(tmp_path, kind):
    memory, rng = DiskMemory(tmp_path, 0), np.random.default_rng(0)
    for shape in ((), (0,), (3,), (3, 0), (4, 5), (2, 3, 4)):
        for order in "CF":
            array = np.asarray((50 * rng.normal(size=shape)).astype(kind), order=order)
            memory["k"] = array
            found = memory["k"]
            np.testing.assert_array_equal(found, array)
            assert found.dtype == array.dtype and found.flags.f_contiguous == array.flags.f_contiguous
    memory["k"] = (rows := rng.normal(size=(6, 6)))[::2, ::3]
    np.testing.assert_array_equal(memory["k"], rows[::2, ::3])


def test_a_file_cut_short_is_named(tmp_path):
    memory = DiskMemory(tmp_path, 0)
    memory["codes"] = np.arange(10)
    path = next(tmp_path.iterdir())
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(SourceError, match="was cut short; is the disk full"):
        memory["codes"]
