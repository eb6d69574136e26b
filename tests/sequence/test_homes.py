"""Baum-Welch over files with a group column, Dask partitions and threads: the same parameters as in memory."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

import novum
from novum.sequence import CategoricalHMM, GaussianHMM, VariationalGaussianHMM

RNG = np.random.default_rng(0)
LENGTHS = RNG.integers(1, 60, 400)
IDS = np.repeat(np.arange(400), LENGTHS)
STATES = np.repeat(RNG.integers(0, 2, len(IDS) // 5 + 1), 5)[: len(IDS)]
ROWS = np.array([[0.0, 1.0], [3.0, -1.0]])[STATES] + RNG.normal(size=(len(IDS), 2))
SYMBOLS = np.where(RNG.random(len(IDS)) < 0.8, STATES, 2)


def started(cls=GaussianHMM, **options):
    model = cls(2, init_params="", max_iter=4, tol=0.0, **options)
    model.startprob_, model.transmat_ = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.2, 0.8]])
    if cls is GaussianHMM:
        model.means_, model.covars_ = np.array([[0.5, 0.5], [2.0, 0.0]]), np.ones((2, 2))
    else:
        model.emissionprob_ = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3]])
    return model


@pytest.fixture(scope="module")
def known():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return started().fit(ROWS, LENGTHS), started(CategoricalHMM).fit(SYMBOLS[:, None], LENGTHS)


def check(found, known, rtol=1e-9):
    for name in ("startprob_", "transmat_", "means_", "_covars_", "emissionprob_"):
        if name in known.__dict__:
            assert_allclose(getattr(found, name), getattr(known, name), rtol=rtol)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_files(tmp_path, known, form):
    frame = pd.DataFrame({"x": ROWS[:, 0], "who": IDS, "y": ROWS[:, 1]})
    symbols = pd.DataFrame({"s": SYMBOLS, "who": IDS})
    write = (lambda f, p: f.to_parquet(p)) if form == "parquet" else (lambda f, p: f.to_csv(p, index=False))
    write(frame, tmp_path / f"rows.{form}")
    write(symbols, tmp_path / f"symbols.{form}")
    for rows in (37, 1000, None):
        scan = novum.scan(tmp_path / f"rows.{form}", target="who", batch_rows=rows)
        check(started().fit(scan), known[0])
    check(started().fit(novum.scan(tmp_path / f"rows.{form}", batch_rows=100), groups="who"), known[0])
    scan = novum.scan(tmp_path / f"symbols.{form}", target="who", batch_rows=50)
    check(started(CategoricalHMM).fit(scan), known[1])
    assert_allclose(
        float(known[0].score(novum.scan(tmp_path / f"rows.{form}", target="who", batch_rows=99))),
        float(known[0].score(ROWS, LENGTHS)),
        rtol=1e-11,
    )
    paths = np.concatenate(list(known[0].predict(novum.scan(tmp_path / f"rows.{form}", target="who", batch_rows=99))))
    assert (paths == known[0].predict(ROWS, LENGTHS)).all()


def test_a_group_in_two_places_is_refused(tmp_path):
    frame = pd.DataFrame({"x": ROWS[:90, 0], "who": np.repeat([0, 1, 0], 30)})
    frame.to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(ValueError, match="group 0 has rows in two places of the file; sort it"):
        GaussianHMM(2).fit(novum.scan(tmp_path / "rows.parquet", target="who", batch_rows=20))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_dask(known):
    dd = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame({"x": ROWS[:, 0], "who": IDS, "y": ROWS[:, 1]})
    parts = [frame[(frame.who >= low) & (frame.who < low + 90)] for low in range(0, 400, 90)]
    lazy = dd.concat([dd.from_pandas(part, npartitions=1) for part in parts])
    check(started().fit(lazy, groups="who"), known[0])
    with pytest.raises(ValueError, match="has rows in two partitions; partition the collection by the group column"):
        started().fit(dd.from_pandas(frame, npartitions=5), groups="who")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("chunks", [(30, 70, 100), (1, 0, 199), (200,)])
def test_rows_on_dask_without_groups_are_one_sequence(chunks):
    da, dd = pytest.importorskip("dask.array"), pytest.importorskip("dask.dataframe")
    memory = started().fit(ROWS[:200])
    lazy = da.from_array(ROWS[:200], chunks=(chunks, 2))
    unknown = dd.from_pandas(pd.DataFrame(ROWS[:200], columns=["x", "y"]), npartitions=3)
    for rows in (lazy, unknown, unknown.to_dask_array()):
        found = started().fit(rows)
        assert_allclose(found.startprob_, memory.startprob_, atol=1e-12)
        assert_allclose(found.transmat_, memory.transmat_, rtol=1e-10)
        assert_allclose(found.means_, memory.means_, rtol=1e-10)
        assert_allclose(found.log_likelihood_, memory.log_likelihood_, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_likelihood_of_a_variational_fit_is_that_of_memory_on_a_scan(tmp_path):
    np.save(tmp_path / "rows.npy", ROWS[:200])
    options = {"random_state": 0, "max_iter": 5, "n_init": 1}
    memory = VariationalGaussianHMM(2, **options).fit(ROWS[:200])
    found = VariationalGaussianHMM(2, **options).fit(novum.scan(tmp_path / "rows.npy", batch_rows=64))
    assert_allclose(found.means_, memory.means_, rtol=1e-9)
    assert_allclose(found.log_likelihood_, memory.log_likelihood_, rtol=1e-10)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_threads_give_the_same_bits(known):
    one, two = (started(n_jobs=jobs).fit(np.tile(ROWS, (4, 1)), np.tile(LENGTHS, 4)) for jobs in (1, 2))
    assert (one.means_ == two.means_).all() and (one.transmat_ == two.transmat_).all()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_fit_from_a_file_without_a_start(tmp_path):
    pd.DataFrame({"x": ROWS[:, 0], "who": IDS, "y": ROWS[:, 1]}).to_parquet(tmp_path / "rows.parquet")
    found = GaussianHMM(2, random_state=0, max_iter=20).fit(novum.scan(tmp_path / "rows.parquet", target="who"))
    known = GaussianHMM(2, random_state=0, max_iter=20).fit(ROWS, LENGTHS)
    assert_allclose(np.sort(found.means_.ravel()), np.sort(known.means_.ravel()), atol=1e-2)


def test_files_of_models_and_copies(tmp_path):
    model = GaussianHMM(2, random_state=0, max_iter=5, tol=1e9).fit(ROWS[:200])
    novum.save(model, tmp_path / "model.novum")
    again = novum.load(tmp_path / "model.novum")
    assert repr(again) == repr(model)
    assert_allclose(again.predict_proba(ROWS[:200]), model.predict_proba(ROWS[:200]))
    assert clone(model).get_params() == model.get_params()
