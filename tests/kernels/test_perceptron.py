"""The kernel perceptron: the notes' numbers, a literal loop, the primal perceptron of explicit features."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import novum
from novum.exceptions import DataError, NotConverged
from novum.kernels import RBF, Constant, KernelPerceptron, Linear, Polynomial, Spectrum, perceptron

XOR, SIGNS = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1.0]]), np.array([-1, 1, 1, -1])
RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
LABEL = np.where((X**2).sum(axis=1) > 2.2, 1, -1)


def literal(K, t, eta, sweeps):
    """Return a, the mistakes of every sweep, and the average of a over all steps."""
    a, history, total, steps = np.zeros(len(t)), [], np.zeros(len(t)), 0
    for _ in range(sweeps):
        wrong = 0
        for i in range(len(t)):
            if t[i] * sum(a[j] * K[j, i] for j in range(len(t))) <= 0:
                a[i] += eta * t[i]
                wrong += 1
            total += a
            steps += 1
        history.append(wrong)
        if not wrong:
            break
    return a, history, total / steps


@pytest.mark.notes("000-c", "kernel-perceptron")
def test_exclusive_or():
    """Zero counts as a mistake: the first sweep changes all four coefficients, the second is clean."""
    model = KernelPerceptron(kernel="poly", degree=2, gamma=1.0, coef0=1.0).fit(XOR, SIGNS)
    assert_allclose(model.dual_coef_, [[-1, 1, 1, -1]])
    assert_allclose(model.decision_function(XOR), 8 * SIGNS)
    assert model.n_iter_ == 2 and list(model.history_) == [4, 0]
    assert_allclose(
        KernelPerceptron(Polynomial(degree=2), learning_rate=0.5).fit(XOR, SIGNS).decision_function(XOR), 4 * SIGNS
    )


@pytest.mark.notes("003", "svm-from-perceptron")
def test_dual_and_primal_perceptron_are_one():
    """w = sum a_n t_n phi(x_n) with a_n the number of mistakes, and the sign of w'phi is that of sum a_n t_n k."""
    model = KernelPerceptron(Polynomial(degree=2, coef0=1.0)).fit(X, LABEL)
    root = np.sqrt(2)
    pairs = root * np.column_stack([X[:, 0] * X[:, 1], X[:, 0] * X[:, 2], X[:, 1] * X[:, 2]])
    Phi = np.hstack([np.ones((80, 1)), root * X, X**2, pairs])
    w, mistakes, clean = np.zeros(10), np.zeros(80, int), False
    while not clean:
        clean = True
        for i in range(80):
            if LABEL[i] * (w @ Phi[i]) <= 0:
                w, clean = w + LABEL[i] * Phi[i], False
                mistakes[i] += 1
    assert (model.mistakes_[0] == mistakes[mistakes > 0]).all()
    assert (model.support_ == np.flatnonzero(mistakes)).all()
    assert_allclose(model.dual_coef_[0] @ Phi[model.support_], w, atol=1e-9)
    assert_allclose(model.decision_function(X), Phi @ w, atol=1e-8)
    assert (model.predict(X) == LABEL).all()


@pytest.mark.notes("000-c", "kernel-perceptron")
@pytest.mark.notes("003", "svm-from-perceptron")
@pytest.mark.parametrize("average", [False, True])
def test_literal_loop(average, monkeypatch):
    kernel = RBF(0.7) + Constant(0.3)
    a, history, mean = literal(kernel(X), LABEL, 0.5, 50)
    for most in (perceptron.WHOLE, 10):  # all kernels at once, and those of the rows with mistakes
        monkeypatch.setattr(perceptron, "WHOLE", most)
        model = KernelPerceptron(kernel, learning_rate=0.5, average=average).fit(X, LABEL)
        assert list(model.history_) == history
        found = np.zeros(80)
        found[model.support_] = model.dual_coef_[0]
        assert_allclose(found, mean if average else a, atol=1e-12)


def test_mistakes_stay_below_the_bound():
    """(R / g)^2, for the largest margin g of a separating function."""
    from novum.svm import SVC

    kernel = Polynomial(degree=2)
    model = KernelPerceptron(kernel, shuffle=True, random_state=0).fit(X, LABEL)
    g = 1 / np.sqrt(-2 * SVC(kernel=kernel.of(lambda Z: Z), C=np.inf, tol=1e-6).fit(X, LABEL).dual_objective_[0])
    assert sum(model.history_) <= kernel.diag(X).max() / g**2


def test_classes_that_nothing_separates_are_reported():
    noisy = RNG.permutation(LABEL)
    with pytest.warns(NotConverged, match=r"Maximum number of iteration.*max_iter=5.*average=True"):
        KernelPerceptron(Linear(), max_iter=5).fit(X, noisy)
    with pytest.raises(DataError, match="got 1 class"):
        KernelPerceptron().fit(X, np.ones(80))


@pytest.mark.notes("000-c", "kernel-perceptron")
@pytest.mark.notes("003", "svm-from-perceptron")
def test_several_classes_and_things():
    several = np.array(["low", "middle", "high"])[np.digitize((X**2).sum(axis=1), [1.5, 4])]
    model = KernelPerceptron(RBF(0.5)).fit(X, several)
    assert (model.predict(X) == several).all() and model.decision_function(X).shape == (80, 3)
    K = RBF(0.5)(X)
    given = KernelPerceptron("precomputed").fit(K, several)
    assert_allclose(given.decision_function(K), model.decision_function(X), atol=1e-12)
    words, label = ["abab", "baba", "cdcd", "dcdc"], ["x", "x", "y", "y"]
    assert list(KernelPerceptron(Spectrum(2)).fit(words, label).predict(["ab", "cd"])) == ["x", "y"]


def test_homes_and_files(tmp_path):
    da = pytest.importorskip("dask.array")
    model = KernelPerceptron(RBF(0.7)).fit(X, LABEL)
    np.save(tmp_path / "x.npy", X)
    assert (np.concatenate(list(model.predict(novum.scan(tmp_path / "x.npy", batch_rows=30)))) == LABEL).all()
    assert (np.asarray(model.predict(da.from_array(X, chunks=(30, 3)))) == LABEL).all()
    novum.save(model, tmp_path / "m.novum")
    assert_allclose(novum.load(tmp_path / "m.novum").decision_function(X), model.decision_function(X))
    torch = pytest.importorskip("torch")
    assert (np.asarray(model.predict(torch.tensor(X))) == LABEL).all()
