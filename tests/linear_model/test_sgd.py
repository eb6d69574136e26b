"""Stochastic gradient descent against its transcription, scikit-learn, closed forms and the notes' steps."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.linear_model as theirs
from numpy.testing import assert_allclose, assert_array_equal
from reference.linear_model import sgd as reference

from novum import _core
from novum.exceptions import DataError, ParameterError
from novum.linear_model import LinearRegression, SGDClassifier, SGDRegressor
from novum.linear_model.online.epochs import LOSSES

LABELED = ("hinge", "perceptron", "squared_hinge", "log_loss", "modified_huber")
NUMBERED = ("squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive")


def sample(n=90, d=5, seed=0, share=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < share)
    X[~X.any(axis=1), 0] = 1.0  # scikit-learn's "pa1" does not count the step of an empty row
    f = X @ rng.normal(size=d) + 0.3 * rng.normal(size=n)
    return X, f


def plan(loss, rate=1, eta0=0.3, power=0.5, alpha=0.0, rho=0.0, decay=1.0, batch=1, mean=True, first=0.0, t0=1.0):
    code, edge = LOSSES[loss]
    return _core.linear_model.sgd.plan(
        code, 0.1 if edge is None else edge, rate, eta0, power, t0, alpha, rho, decay, batch, mean, first
    )


@pytest.mark.notes("000-b", "minibatch-sgd")
@pytest.mark.parametrize("loss", LABELED + NUMBERED)
@pytest.mark.parametrize("alpha, rho", [(0.0, 0.0), (0.05, 0.0), (0.05, 1.0), (0.05, 0.4)])
@pytest.mark.parametrize("batch, first", [(1, 0), (1, 1), (7, 20)])
@pytest.mark.parametrize("sparse", [False, True])
def test_kernel_is_its_transcription(loss, alpha, rho, batch, first, sparse):
    X, f = sample(share=0.6 if sparse else 1.0)
    y = np.where(f > 0, 1.0, -1.0) if loss in LABELED else f
    w, numbers = np.zeros(5), np.array([0.0, 0, 0, 1, 0])
    total = np.zeros(5) if first else None
    paid = np.zeros(5) if alpha * rho else None
    settings = plan(loss, alpha=alpha, rho=rho, batch=batch, first=float(first))
    C = scipy.sparse.csr_matrix(X)
    rows = (C.data, C.indices, C.indptr) if sparse else (X,)
    run = _core.linear_model.sgd.sparse if sparse else _core.linear_model.sgd.dense
    for _ in range(3):
        run(*rows, y, None, np.arange(90), settings, w, total, paid, numbers)
    a, b, mean = reference.train(
        X, y, loss=loss, eta=lambda t: 0.3 / t**0.5, alpha=alpha, rho=rho, batch=batch, first=first, epochs=3
    )
    if not sparse and paid is not None:  # a dense row has all its entries, zeros too: none here
        assert (X != 0).all()
    assert_allclose(w, a, rtol=1e-9, atol=1e-11)
    assert_allclose(numbers[0], b, rtol=1e-9, atol=1e-11)
    if first:
        count = numbers[3] - first
        assert_allclose(np.append(total, numbers[1]) / count, mean, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("n", [0, 1, 2, 16, 1000, 1024, 1025, 5003])
def test_orders_are_permutations_and_depend_on_their_address_alone(n):
    order, again, other = (np.empty(n, np.int64) for _ in range(3))
    _core.linear_model.sgd.shuffle(5, 1, 2, order)
    _core.linear_model.sgd.shuffle(5, 1, 2, again)
    _core.linear_model.sgd.shuffle(5, 1, 3, other)
    assert_array_equal(np.sort(order), np.arange(n))
    assert_array_equal(order, again)
    assert n < 16 or not np.array_equal(order, other)


def test_orders_mix_sorted_classes():
    order = np.empty(64_000, np.int64)
    _core.linear_model.sgd.shuffle(0, 0, 0, order)
    shares = (order < 32_000).reshape(-1, 500).mean(axis=1)  # rows of the first half, in every 500 visited
    assert abs(shares - 0.5).max() < 0.3 and abs(np.corrcoef(order, np.arange(64_000))[0, 1]) < 0.05


def test_orders_are_uniform():
    n, repeats = 4096, 400
    orders = np.empty((repeats, n), np.int64)
    for r in range(repeats):
        _core.linear_model.sgd.shuffle(r, 0, 0, orders[r])
    together = (
        np.abs(np.diff(orders, axis=1)) == 1
    )  # neighbors of the file visited one after the other: 2 of n on average
    assert abs(together.sum(axis=1).mean() - 2) < 6 * np.sqrt(2 / repeats)
    early = orders[:, :64] // 64  # the first rows come from anywhere: counts of 64 stretches of the file
    counts = np.bincount(early.ravel(), minlength=64)
    assert ((counts - counts.mean()) ** 2 / counts.mean()).sum() < 63 + 6 * np.sqrt(2 * 63)
    small = np.empty(4, np.int64)
    seen = np.zeros((4, 4))
    for r in range(4800):
        _core.linear_model.sgd.shuffle(r, 0, 0, small)
        seen[np.arange(4), small] += 1
    assert np.abs(seen - 1200).max() < 5 * 30


def test_kernel_refuses_what_it_would_index_out_of_range():
    X, y, w, numbers = np.zeros((3, 2)), np.zeros(3), np.zeros(2), np.zeros(5)
    for bad in ([0, 3], [-1]):
        with pytest.raises(ValueError, match="order names a row that is not there"):
            _core.linear_model.sgd.dense(X, y, None, np.array(bad), plan("hinge"), w, None, None, numbers)
    with pytest.raises(ValueError, match="inconsistent shapes"):
        _core.linear_model.sgd.dense(X, y[:2], None, np.arange(2), plan("hinge"), w, None, None, numbers)
    with pytest.raises(ValueError, match="column out of range"):
        column = np.array([2], np.int32)
        start = np.array([0, 1], np.int32)
        _core.linear_model.sgd.sparse(
            np.ones(1), column, start, y[:1], None, np.arange(1), plan("hinge"), w, None, None, numbers
        )


@pytest.mark.notes("000-b", "svm-sgd")
@pytest.mark.notes("001", "lms-update")
@pytest.mark.notes("003", "lms-sgd")
@pytest.mark.parametrize("rate", ["optimal", "constant", "invscaling", "adaptive", "pa1", "pa2"])
@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet", None])
@pytest.mark.parametrize("sparse", [False, True])
def test_equal_to_scikit_learn_in_the_order_of_the_rows(rate, penalty, sparse):
    X, f = sample(share=0.5 if sparse else 1.0)
    X = scipy.sparse.csr_matrix(X) if sparse else X
    y = (f > 0) + (f > 1).astype(int)
    weight = np.random.default_rng(1).random(len(f)) + 0.1
    options = {"penalty": penalty, "learning_rate": rate, "shuffle": False, "tol": None, "max_iter": 5, "eta0": 0.02}
    for average in (False, True, 40) if penalty in ("l2", None) else (False,):  # theirs averages before the L1 part
        for loss in LABELED if rate not in ("pa1", "pa2") else ("hinge",):
            given = {**options, "loss": loss, "alpha": 0.2, "average": average, "class_weight": {0: 2.0, 1: 1, 2: 0.5}}
            a, b = SGDClassifier(**given), theirs.SGDClassifier(**given)
            a.fit(X, y, sample_weight=weight), b.fit(X, y, sample_weight=weight)
            assert_allclose(a.coef_, b.coef_, rtol=1e-8, atol=1e-10)
            assert_allclose(a.intercept_, b.intercept_, rtol=1e-8, atol=1e-10)
            assert a.t_ == b.t_
        loss = "epsilon_insensitive" if rate in ("pa1", "pa2") else "huber"
        given = {**options, "loss": loss, "alpha": 0.2, "average": average}
        a, b = SGDRegressor(**given).fit(X, f), theirs.SGDRegressor(**given).fit(X, f)
        assert_allclose(a.coef_, b.coef_, rtol=1e-8, atol=1e-10)
        assert_allclose(a.predict(X), b.predict(X), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("penalty", [None, "l2"])
def test_stops_where_scikit_learn_stops(penalty):
    X, f = sample(300)
    options = {"shuffle": False, "penalty": penalty, "alpha": 0.01, "tol": 1e-3}
    assert SGDRegressor(**options).fit(X, f).n_iter_ == theirs.SGDRegressor(**options).fit(X, f).n_iter_
    options["loss"] = "log_loss"
    assert SGDClassifier(**options).fit(X, f > 0).n_iter_ == theirs.SGDClassifier(**options).fit(X, f > 0).n_iter_


@pytest.mark.parametrize("loss", ["log_loss", "modified_huber"])
@pytest.mark.parametrize("k", [2, 3])
def test_probabilities_equal_scikit_learns(loss, k):
    X, f = sample(200)
    y = (f > 0) + (f > 1).astype(int) * (k == 3)
    options = {"loss": loss, "shuffle": False, "tol": None, "max_iter": 5, "alpha": 0.2}
    a, b = SGDClassifier(**options).fit(X, y), theirs.SGDClassifier(**options).fit(X, y)
    assert_allclose(a.predict_proba(X), b.predict_proba(X), rtol=1e-8, atol=1e-10)
    assert not hasattr(SGDClassifier(loss="hinge"), "predict_proba")


@pytest.mark.notes("001", "lms-update")
def test_least_mean_squares_by_hand():
    lms = SGDRegressor(penalty=None, learning_rate="constant", eta0=0.1, fit_intercept=False)
    assert_allclose(lms.partial_fit([[1.0, 2, 1]], [1.0]).coef_, [0.1, 0.2, 0.1], rtol=1e-14)
    assert_allclose(lms.partial_fit([[1.0, 0, 3]], [-1.0]).coef_, [-0.04, 0.2, -0.32], rtol=1e-14)


@pytest.mark.notes("003", "lms-sgd")
def test_one_sample_and_the_limit_of_many():
    lms = SGDRegressor(penalty=None, learning_rate="constant", eta0=0.1, fit_intercept=False)
    assert_allclose(lms.partial_fit([[1.0, 2]], [4.0]).coef_, [0.4, 0.8], rtol=1e-14)
    X, f = sample(2000)
    steps = {"learning_rate": "invscaling", "eta0": 0.5, "power_t": 0.7}
    lms = SGDRegressor(penalty=None, tol=None, max_iter=200, average=20_000, random_state=0, **steps)
    assert lms.schedule().satisfies_robbins_monro()
    assert_allclose(lms.fit(X, f).coef_, LinearRegression().fit(X, f).coef_, atol=2e-4)


@pytest.mark.notes("000-b", "least-squares-gd")
def test_full_batches_are_gradient_descent():
    X, f = sample(60)
    batch = {"batch_size": None, "learning_rate": "constant", "eta0": 0.3, "penalty": None, "tol": None}
    w, b = np.zeros(5), 0.0
    for _ in range(20):
        r = f - X @ w - b
        w, b = w + 0.3 * r @ X / 60, b + 0.3 * r.mean()
    model = SGDRegressor(**batch, max_iter=20).fit(X, f)
    assert_allclose(model.coef_, w, rtol=1e-10)
    assert_allclose(model.intercept_, b, rtol=1e-10)
    assert_allclose(SGDRegressor(**batch, max_iter=500).fit(X, f).coef_, LinearRegression().fit(X, f).coef_, rtol=1e-9)


@pytest.mark.notes("004", "sgd")
@pytest.mark.notes("000-b", "svm-sgd")
def test_subgradient_steps_of_the_support_vector_machine():
    # eta_t = 1 / (lambda t): the first step wipes the start out
    machine = SGDClassifier(
        alpha=0.1, learning_rate="invscaling", eta0=10.0, power_t=1.0, fit_intercept=False, shuffle=False
    )
    for x, y, w in (((1.0, 2), 1, (10, 20)), ((-1.0, 0), -1, (5, 10)), ((1.0, 2), 1, (10 / 3, 20 / 3))):
        assert_allclose(machine.partial_fit([x], [y], classes=[-1, 1]).coef_, [w], rtol=1e-14)
    assert machine.schedule().satisfies_robbins_monro()


@pytest.mark.notes("000-b", "regularised-risk")
@pytest.mark.notes("000-b", "svm-sgd")
def test_support_vector_machine_reaches_its_objective():
    X, f = sample(400)
    y = np.where(f > 0, 1, -1)
    machine = SGDClassifier(alpha=0.1, fit_intercept=False, max_iter=300, tol=None, random_state=0, average=True)
    w = machine.fit(X, y).coef_[0]

    def objective(w):
        return 0.05 * w @ w + np.maximum(0, 1 - y * (X @ w)).mean()

    best = min(objective(w + d) for d in 0.02 * np.vstack([np.eye(5), -np.eye(5)]))
    assert objective(w) < best + 1e-4
    assert_allclose(machine.schedule()(0), 0.1**-0.25)


@pytest.mark.parametrize(
    "options, first, second",
    [
        ({"learning_rate": "constant"}, True, False),
        ({"learning_rate": "invscaling", "power_t": 0.25}, True, False),
        ({"learning_rate": "invscaling", "power_t": 1.0}, True, True),
        ({"learning_rate": "invscaling", "power_t": 2.0}, False, True),
        ({"learning_rate": "optimal"}, True, True),
        ({"learning_rate": "invscaling", "power_t": 0.0}, True, False),
    ],
)
def test_robbins_and_monro(options, first, second):
    verdict = SGDRegressor(**options).schedule().satisfies_robbins_monro()
    assert (verdict.sum_diverges, verdict.squares_converge) == (first, second)


def test_data_dependent_steps_are_no_schedule():
    with pytest.raises(ParameterError, match=r"SGDClassifier\(learning_rate='pa1'\)"):
        SGDClassifier(learning_rate="pa1").schedule()


def test_portions_continue_where_the_last_ended():
    X, f = sample(200)
    y = f > 0
    options = {"shuffle": False, "tol": None, "max_iter": 1, "average": 50, "alpha": 0.01}
    whole = SGDClassifier(**options).fit(X, y)
    parts = SGDClassifier(**options)
    for start in range(0, 200, 40):
        parts.partial_fit(X[start : start + 40], y[start : start + 40], classes=[False, True])
    assert_allclose(parts.coef_, whole.coef_, rtol=1e-10)
    assert_allclose(parts.intercept_, whole.intercept_, rtol=1e-10)
    assert parts.t_ == whole.t_ == 201


def test_accuracy_as_good_as_scikit_learns_and_the_same_for_any_threads():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 20))
    y = (X @ rng.normal(size=(20, 4)) + rng.normal(size=(6000, 4))).argmax(axis=1)
    one, four = (SGDClassifier(random_state=3, n_jobs=n).fit(X[:4000], y[:4000]) for n in (1, 4))
    assert_array_equal(one.coef_, four.coef_)
    peer = theirs.SGDClassifier(random_state=3).fit(X[:4000], y[:4000])
    assert one.score(X[4000:], y[4000:]) > peer.score(X[4000:], y[4000:]) - 0.03


def test_float32_and_sparse_sixty_four_bit_indices():
    X, f = sample(300, share=0.5)
    C = scipy.sparse.csr_matrix(X)
    long = scipy.sparse.csr_array(C)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    a, b = (SGDRegressor(random_state=0, max_iter=20, tol=None).fit(given, f) for given in (C, long))
    assert_array_equal(a.coef_, b.coef_)
    single = SGDRegressor(random_state=0, max_iter=20, tol=None).fit(C.astype(np.float32), f)
    assert single.coef_.dtype == np.float32
    assert_allclose(single.coef_, a.coef_, rtol=1e-3, atol=1e-4)


@pytest.mark.deep
def test_messages():
    X, f = sample()
    with pytest.raises(
        DataError, match=r"Floating-point under-/overflow occurred at epoch #1.*smaller eta0 than 1e\+06"
    ):
        SGDRegressor(learning_rate="constant", eta0=1e6, penalty=None).fit(1e290 * X, f)
    with pytest.raises(ParameterError, match="alpha must be > 0 since learning_rate is 'optimal'"):
        SGDClassifier(alpha=0.0).fit(X, f > 0)
    with pytest.raises(ParameterError, match="only works with loss 'hinge'"):
        SGDClassifier(loss="log_loss", learning_rate="pa1").fit(X, f > 0)
    with pytest.raises(ParameterError, match="l1_ratio must be set"):
        SGDRegressor(penalty="elasticnet", l1_ratio=None).fit(X, f)
    torch = pytest.importorskip("torch")
    with pytest.raises(DataError, match=r"SGDRegressor steps from row to row.*numpy\(force=True\).*partial_fit"):
        SGDRegressor().fit(torch.as_tensor(X), torch.as_tensor(f))
