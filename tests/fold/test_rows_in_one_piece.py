"""Rows of files that memory holds as one array: passes over them are one call, with the bits of passes block by block."""

import os

import numpy as np
import pandas as pd
import pytest

import novum
from novum.cluster import KMeans
from novum.engines.kmeans import bounds
from novum.exceptions import SourceError
from novum.fold.homes import team
from novum.linear_model import LogisticRegression

NAMES = list("abcdef")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Rows sorted by class, in two files of other row groups; a constant far away and a column of tiny units among them."""
    rng = np.random.default_rng(5)
    X = rng.standard_t(5, size=(90_000, 6)) * [1, 1e-9, 1, 1, 1, 1] + [0, 0, 1e7, 0, 0, 0]
    kind = np.where(X[:, 0] + X[:, 4] + rng.normal(size=len(X)) > 0, "yes", "no")
    order = np.argsort(kind, kind="stable")
    frame = pd.DataFrame(X[order], columns=NAMES).assign(kind=kind[order], code=(kind[order] == "yes").astype(np.int64))
    folder = tmp_path_factory.mktemp("pieces")
    frame[:50_001].to_parquet(folder / "p0.parquet")
    frame[50_001:].to_parquet(folder / "p1.parquet", row_group_size=777)
    return folder


@pytest.fixture
def taken(monkeypatch):
    """Count the passes that took all rows at once."""
    seen = []

    def counted(source, width, original=team.rows_for_team):
        rows = original(source, width)
        seen.append(rows is not None)
        return rows

    monkeypatch.setattr(team, "rows_for_team", counted)
    return seen


FITS = {
    "logistic": (lambda jobs: LogisticRegression(C=1e3, n_jobs=jobs), list("adef"), "code", "coef_"),  # no frame is due
    "k-means": (lambda jobs: KMeans(9, n_init=1, max_iter=12, tol=0, random_state=0), NAMES, None, "cluster_centers_"),
}


@pytest.mark.parametrize("name", FITS)
def test_one_call_and_block_by_block_are_the_same_bits(name, table, taken, monkeypatch):
    make, columns, target, attribute = FITS[name]
    scan = novum.scan(str(table / "p*.parquet"), columns, target)
    found = [getattr(make(jobs).fit(scan), attribute) for jobs in (1, 2, 8)]
    assert sum(taken) >= 6
    taken.clear()
    monkeypatch.setenv("NOVUM_CACHE_MEMORY", "0")
    found.append(getattr(make(2).fit(scan), attribute))
    assert not any(taken)
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


def test_text_labels_give_what_their_codes_give(table):
    texts, codes = (
        LogisticRegression(C=1e3).fit(novum.scan(str(table / "p*.parquet"), NAMES, target))
        for target in ("kind", "code")
    )
    assert list(texts.classes_) == ["no", "yes"]
    np.testing.assert_array_equal(texts.coef_, codes.coef_)


def test_a_file_that_changes_is_noticed_though_its_rows_are_kept(table, monkeypatch):
    touched = []

    def edited(source, width, original=bounds.plain_rows):
        rows = original(source, width)
        if rows is not None and not touched:
            touched.append(os.utime(table / "p1.parquet", (1, 1)))
        return rows

    monkeypatch.setattr(bounds, "plain_rows", edited)
    with pytest.raises(SourceError, match="changed"):
        KMeans(9, n_init=1, max_iter=12, tol=0, random_state=0).fit(novum.scan(str(table / "p*.parquet"), NAMES))
    assert touched
