"""Memory of blocks in files: what is set is found again in the next pass, and goes away in the end."""

from typing import NamedTuple

import numpy as np
import pytest

import novum
from novum.fold.homes.spill import spill_blocks
from novum.runtime.room import budget, disk_budget


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


@pytest.fixture(params=["2GB", "0"], ids=["memory", "disk"])
def where(request, monkeypatch):
    monkeypatch.setenv("NOVUM_CACHE_MEMORY", request.param)


def test_blocks_remember_and_forget(tmp_path, where):
    held = budget.held, disk_budget.held
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
        with pytest.raises(KeyError):
            del memory["double"]
    assert (budget.held, disk_budget.held) == held


def test_a_failed_pass_leaves_nothing(tmp_path, where, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    np.save(tmp_path / "x.npy", np.zeros((4, 2)))
    held = budget.held, disk_budget.held

    def broken(_, block):
        block.memory["a"] = block.X
        raise ValueError("no")

    with (
        pytest.raises(ValueError, match="no"),
        spill_blocks(novum.scan(tmp_path / "x.npy"), broken, None),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]
    assert (budget.held, disk_budget.held) == held
