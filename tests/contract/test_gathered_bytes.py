"""What comes to the client while an estimator is fitted on Dask, in bytes: sums, a sample where the guide says so, or all rows.

Every way from a collection into the process is counted: the sum of a pass, what the runs answer, the last state of a walk, a block.
A learner that keeps rows brings each of them once; nothing else may bring as many numbers as the rows have.
"""

import pickle
import warnings
from functools import cache, wraps
from pathlib import Path

import pytest
from contract.cases import PAIRWISE, data, estimators, quick
from contract.homes import REFUSALS, brought, on_dask

from novum.fold.homes.dask import source as dask_source
from novum.fold.homes.dask.source import DaskSource

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "where-learners-run.md"
WAYS = ("total", "_map", "walk", "_block")
ROWS = 3000


@cache
def kept_by_the_page():
    """Return what the guide says that comes of the rows, by estimator."""
    text = PAGE.read_text(encoding="utf-8").splitlines()
    lines = [line.strip("|\n").split("|") for line in text if line.startswith("| `")]
    return {cells[0].strip(" `"): cells[3].strip() for cells in lines}


def counted(monkeypatch):
    """Return the list of bytes of what comes here, a call each."""
    found: list[int] = []

    def counting(plain):
        @wraps(plain)
        def call(self, *args, **kwargs):
            result = plain(self, *args, **kwargs)
            found.append(len(pickle.dumps(result, protocol=5)))
            return result

        return call

    monkeypatch.setattr(dask_source, "BLOCK_VALUES", 300)  # of the first rows, from which shifts are chosen
    for name in WAYS:
        monkeypatch.setattr(DaskSource, name, counting(getattr(DaskSource, name)))
    return found


def most_bytes(estimator, n, monkeypatch):
    """Return the bytes of the largest thing that comes here, of all together, and of the rows; None where a fit is refused."""
    X, y = data(estimator, n=n)
    there, target = on_dask("array", X, y, (n // 2, 0, n - n // 2))
    with monkeypatch.context() as patch:
        bytes_here = counted(patch)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = quick(estimator)
                model.fit(there) if target is None else model.fit(there, target)
        except REFUSALS:
            assert max(bytes_here, default=0) < X.nbytes // 2
            return None
    return max(bytes_here), sum(bytes_here), X.nbytes


@pytest.mark.parametrize("estimator", estimators(), ids=lambda one: type(one).__name__)
def test_no_more_comes_to_the_client_than_the_guide_says(estimator, monkeypatch):
    name = type(estimator).__name__
    n = 400 if name in PAIRWISE else ROWS
    found = most_bytes(estimator, n, monkeypatch)
    if found is None:
        return
    most, whole, rows = found
    if (said := kept_by_the_page().get(name)) == "all":
        assert rows <= whole < 2 * rows + 50_000
    elif said:
        assert said == brought(name) and most < 10 * rows + 50_000
    elif most >= rows // 2:  # large sums: more rows do not make them larger
        assert most_bytes(estimator, 2 * n, monkeypatch)[0] < 1.1 * most
