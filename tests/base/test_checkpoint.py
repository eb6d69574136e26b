"""`novum.checkpoint`: kills lose the step in flight, other computations are refused, samplers and ensembles take part."""

import os
import signal
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
import pandas as pd
import pytest

import novum
from novum.cluster import KMeans
from novum.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from novum.exceptions import DataWarning, ParameterError
from novum.linear_model import LogisticRegression
from novum.mixture import GaussianMixture
from novum.sampling import GibbsSampler, HamiltonianMonteCarlo, MetropolisHastings, run_chains
from novum.study import Study

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20_000, 5)) + 2.0 * RNG.integers(0, 3, 20_000)[:, None]
Y = (X[:, 0] + RNG.normal(size=len(X)) > 2).astype(int)


def resumed(path, run, cut):
    """Return what a run comes to from a part of its own file, and the steps read and made."""
    data = path.read_bytes()
    path.write_bytes(data[: int(cut * len(data))])
    with novum.checkpoint(path, keep=True) as steps:
        result = run()
    path.write_bytes(data)
    return result, steps


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(
    "make",
    [
        lambda: KMeans(6, random_state=0).fit(X).cluster_centers_,
        lambda: GaussianMixture(3, random_state=0, max_iter=20).fit(X).covariances_,
        lambda: LogisticRegression().fit(X, Y).coef_,
        lambda: HistGradientBoostingClassifier(max_iter=10, random_state=0).fit(X, Y).predict_proba(X),
        lambda: RandomForestClassifier(5, random_state=0).fit(X, Y).predict_proba(X),
    ],
    ids=["k-means", "mixture", "logistic", "boosting", "forest"],
)
def test_several_blocks_go_on_to_the_same_bits(make, cut, tmp_path):
    path = tmp_path / "fit.ckpt"
    plain = make()
    with novum.checkpoint(path, keep=True) as steps:
        assert np.array_equal(make(), plain)
    again, there = resumed(path, make, cut)
    assert np.array_equal(again, plain)
    assert 0 < there.made <= steps.made and there.read + there.made <= steps.made


def log_prob(x):
    return -0.5 * float(x @ x)


SAMPLERS = {
    "walk": lambda: MetropolisHastings(log_prob).sample(300, start=[0.0, 1.0], n_chains=2, random_state=0, check=False),
    "proposal": lambda: MetropolisHastings(log_prob, proposal=lambda x, rng: x + rng.normal(size=2)).sample(
        100, start=np.zeros(2), n_chains=2, random_state=0, check=False
    ),
    "hamiltonian": lambda: HamiltonianMonteCarlo(log_prob, gradient=lambda x: -x).sample(
        100, start=[0.0, 1.0], n_chains=2, n_warmup=100, random_state=0, check=False
    ),
    "gibbs": lambda: GibbsSampler(
        {"a": lambda s, rng: 0.5 * s["b"] + rng.normal(), "b": lambda s, rng: rng.normal()}
    ).sample(100, start={"a": 0.0, "b": 0.0}, n_warmup=10, random_state=0, check=False),
    "kernel": lambda: run_chains(
        lambda x, rng: 0.5 * x + rng.normal(), 0.0, 100, n_warmup=10, random_state=0, check=False
    ),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_chains_go_on_to_the_same_draws(name, tmp_path):
    path, run = tmp_path / "chains.ckpt", SAMPLERS[name]
    plain = run()
    with novum.checkpoint(path, keep=True):
        assert np.array_equal(run().draws, plain.draws)
    for cut in (0.3, 0.8):
        again, steps = resumed(path, run, cut)
        assert np.array_equal(again.draws, plain.draws) and steps.read > 5 and steps.made > 5
        assert all(np.array_equal(again.statistics[key], plain.statistics[key]) for key in plain.statistics)


def test_a_seed_that_nobody_gave_is_kept(tmp_path):
    path = tmp_path / "fit.ckpt"
    with novum.checkpoint(path, keep=True):
        first = KMeans(6).fit(X).cluster_centers_
    assert np.array_equal(resumed(path, lambda: KMeans(6).fit(X).cluster_centers_, 0.5)[0], first)


def test_the_file_goes_when_the_block_ends_and_stays_after_an_error(tmp_path):
    path = tmp_path / "fit.ckpt"
    with pytest.raises(ZeroDivisionError), novum.checkpoint(path):
        KMeans(3, random_state=0).fit(X)
        1 / 0  # noqa: B018
    assert path.exists()
    with novum.checkpoint(path) as steps:
        KMeans(3, random_state=0).fit(X)
    assert steps.read and not steps.made and not path.exists()


@pytest.mark.parametrize(
    "model, rows, target, words",
    [
        (
            LogisticRegression(C=2.0),
            X,
            Y,
            r"LogisticRegression\.fit: .*parameter C differs: 1\.0 there and 2\.0 here\. Give what",
        ),
        (
            LogisticRegression(),
            X[:-1],
            Y[:-1],
            r"X differs: ndarray of shape \(20000, 5\) there and .*\(19999, 5\) here",
        ),
        (
            LogisticRegression(),
            X + 1e-12,
            Y,
            r"X differs\. Give what was given then, name another file, or remove this one",
        ),
        (LogisticRegression(), X, 1 - Y, r"y differs\."),
    ],
)
def test_another_computation_is_refused_by_name(model, rows, target, words, tmp_path):
    path = tmp_path / "fit.ckpt"
    with novum.checkpoint(path, keep=True):
        LogisticRegression().fit(X, Y)
    before = path.read_bytes()
    with pytest.raises(ParameterError, match=words), novum.checkpoint(path):
        model.fit(rows, target)
    assert path.read_bytes() == before and not hasattr(model, "coef_")


def test_other_rows_in_a_file_of_the_same_name_are_refused(tmp_path):
    def fit(rows):
        np.save(tmp_path / "rows.npy", rows)
        return KMeans(3, random_state=0).fit(novum.scan(tmp_path / "rows.npy", batch_rows=3000))

    with novum.checkpoint(tmp_path / "fit.ckpt", keep=True):
        fit(X)
    with pytest.raises(ParameterError, match="what the rows hold differs"), novum.checkpoint(tmp_path / "fit.ckpt"):
        fit(X[::-1].copy())


def test_another_density_is_refused(tmp_path):
    def sample(density):
        return MetropolisHastings(density).sample(50, start=[0.0], n_chains=1, random_state=0, check=False)

    with novum.checkpoint(tmp_path / "chains.ckpt", keep=True):
        sample(lambda x: -float(x @ x))
    with pytest.raises(ParameterError, match="parameter log_prob differs"), novum.checkpoint(tmp_path / "chains.ckpt"):
        sample(lambda x: -2 * float(x @ x))


def test_a_child_process_writes_nothing(tmp_path):
    with novum.checkpoint(tmp_path / "fit.ckpt", keep=True) as steps:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                KMeans(3, random_state=0).fit(X)
                code = 0
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        size = (tmp_path / "fit.ckpt").stat().st_size
        KMeans(3, random_state=0).fit(X)
        assert steps.made and (tmp_path / "fit.ckpt").stat().st_size > size


PROGRAM = """
    import sys, numpy as np, novum
    from novum.cluster import KMeans
    from novum.ensemble import HistGradientBoostingRegressor
    from novum.sampling import MetropolisHastings

    folder = sys.argv[1]
    rows = novum.scan(folder + "/rows.npy", batch_rows=20_000)
    table = novum.scan(folder + "/rows.npy", target=0, batch_rows=20_000)
    with novum.checkpoint(folder + "/fit.ckpt", keep=True) as steps:
        centers = KMeans(20, random_state=0, max_iter=40, tol=0).fit(rows).cluster_centers_
        trees = HistGradientBoostingRegressor(max_iter=6, random_state=0, early_stopping=False).fit(table)._nodes
        walk = MetropolisHastings(lambda x: -0.5 * float(x @ x)).sample(2000, start=[0.0, 0.0], random_state=0, check=False)
    np.savez(folder + "/done.npz", centers=centers, trees=trees.tobytes(), draws=walk.draws, steps=[steps.read, steps.made])
"""


def run_until_done(folder, kill):
    """Run the program until it ends, killed as long as `kill()` says how many seconds after its file has grown."""
    program, file, done = folder / "program.py", folder / "fit.ckpt", folder / "done.npz"
    program.write_text(textwrap.dedent(PROGRAM))
    while not done.exists():
        run = subprocess.Popen([sys.executable, str(program), str(folder)], env={**os.environ, "OMP_NUM_THREADS": "1"})
        wait = kill()
        if wait is not None:
            size, deadline = file.stat().st_size if file.exists() else 0, time.monotonic() + 60
            while run.poll() is None and time.monotonic() < deadline:
                if file.exists() and file.stat().st_size > size + 200:
                    break
                time.sleep(0.005)
            time.sleep(wait)
            run.send_signal(signal.SIGKILL)
        code = run.wait()
        assert code == 0 or (wait is not None and code == -signal.SIGKILL)
    with np.load(done) as found:
        result = {name: found[name] for name in found.files}
    done.unlink()
    file.unlink()
    return result


def check_kills(folder, kills, seed):
    """Kill runs so often, however many runs that takes; each that ends has come to the bits of one nobody disturbed."""
    np.save(folder / "rows.npy", np.random.default_rng(1).normal(size=(100_000, 6)))
    whole, rng, left = run_until_done(folder, lambda: None), np.random.default_rng(seed), kills

    def kill():
        nonlocal left
        left -= 1
        return rng.uniform(0, 0.3) if left >= 0 else None

    while left > 0:
        found = run_until_done(folder, kill)
        for name in ("centers", "trees", "draws"):
            assert np.array_equal(found[name], whole[name]), name
        assert found["steps"].sum() <= whole["steps"].sum()


def test_kills_lose_the_step_in_flight_and_no_bit(tmp_path):
    check_kills(tmp_path, 3, 0)


@pytest.mark.slow
def test_fifty_kills_lose_no_bit(tmp_path):
    check_kills(tmp_path, 50, 1)


def test_nothing_warns_on_the_way_that_is_taken_again(tmp_path, recwarn):
    for _ in range(2):
        with novum.checkpoint(tmp_path / "fit.ckpt", keep=True):
            KMeans(3, random_state=0).fit(X)
    assert not [one for one in recwarn if issubclass(one.category, DataWarning)]


def test_a_study_keeps_its_fits_beside_the_file(tmp_path):
    table = pd.DataFrame(np.column_stack([X[:150], Y[:150]]), columns=[*"abcde", "target"])
    options = {
        "models": ["LinearRegression", "Ridge"],
        "folds": 2,
        "ensemble": False,
        "n_jobs": 1,
        "task": "regression",
    }
    path = tmp_path / "study.ckpt"
    with novum.checkpoint(path, keep=True):
        Study(table, "target", **options).run()
    folders = [one for one in tmp_path.iterdir() if one.is_dir()]
    assert len(folders) == 1 and any(folders[0].iterdir())
    with novum.checkpoint(path):
        assert Study(table, "target", **options).run().complete
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("clustered", [False, True], ids=["here", "workers"])
def test_fits_on_dask_go_on_to_the_same_bits(clustered, tmp_path):
    import dask.array as da
    from distributed import Client, LocalCluster

    rows, labels = da.from_array(X, chunks=(3000, 5)), da.from_array(Y, chunks=3000)
    path = tmp_path / "fit.ckpt"

    def run():
        means = GaussianMixture(3, random_state=0, max_iter=10).fit(rows).means_
        trees = HistGradientBoostingClassifier(max_iter=4, random_state=0).fit(rows, labels)._nodes
        return means, trees

    def check():
        plain = run()
        with novum.checkpoint(path, keep=True) as steps:
            run()
        for cut in (0.4, 0.9):
            again, there = resumed(path, run, cut)
            assert all(np.array_equal(a, b) for a, b in zip(again, plain)) and 0 < there.made < steps.made
        with pytest.raises(ParameterError, match="what the rows hold differs"), novum.checkpoint(path):
            GaussianMixture(3, random_state=0, max_iter=10).fit(da.from_array(X[::-1], chunks=(3000, 5)))

    if not clustered:
        check()
        return
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with warnings.catch_warnings(), LocalCluster(**options) as home, Client(home):
        warnings.simplefilter("ignore")
        check()
