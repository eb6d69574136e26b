"""Regularized risk: gradients, solvers against each other and against peers, refusals."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression, PoissonRegressor, QuantileRegressor, Ridge
from sklearn.svm import SVC

from novum import losses as L
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.optimize import ElasticNetPenalty, L1Penalty, L2Penalty, RegularizedRisk, minimize_risk, proximal_gradient
from novum.optimize.differences import numeric_hessian, numeric_jacobian

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = X @ [1.0, -2, 0, 0.5] + 0.7 + 0.3 * RNG.normal(size=60)
T = np.where(Y + RNG.normal(size=60) > 0, 1.0, -1.0)
K = np.digitize(Y, [-1.0, 1.0])
W = RNG.integers(0, 4, 60)
LOSSES = [
    L.SquaredLoss(),
    L.HuberLoss(),
    L.LogisticLoss(),
    L.SquaredHingeLoss(),
    L.ExponentialLoss(),
    L.CrossEntropyLoss(),
]


def target_of(loss):
    return T if isinstance(loss, L.MarginLoss) else (T > 0).astype(int) if isinstance(loss, L.CrossEntropyLoss) else Y


@pytest.mark.notes("003", "regularised-loss")
@pytest.mark.notes("004", "regularised-loss")
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@pytest.mark.parametrize("penalty", [L2Penalty(0.3), L1Penalty(0.2), ElasticNetPenalty(0.4, 0.3), None], ids=repr)
def test_value_gradient_and_hessian(loss, penalty):
    risk = RegularizedRisk(X, target_of(loss), loss, penalty, sample_weight=W)
    w = np.random.default_rng(1).normal(size=5)
    plain = np.average(loss.value(target_of(loss), X @ w[:4] + w[4]), weights=W)
    price = 0.0 if penalty is None else penalty.l1 * np.abs(w[:4]).sum() + penalty.l2 * (w[:4] ** 2).sum() / 2
    assert risk.value(w) == pytest.approx(plain + price, rel=1e-13)
    np.testing.assert_allclose(risk.gradient(w), numeric_jacobian(risk.value, w)[0], rtol=1e-6, atol=1e-7)
    if loss.name in ("squared", "logistic", "exponential", "cross-entropy"):
        np.testing.assert_allclose(risk.hessian(w), numeric_hessian(risk.value, w), rtol=1e-4, atol=1e-4)
    thin = RegularizedRisk(sparse.csr_array(X), target_of(loss), loss, penalty, sample_weight=W)
    np.testing.assert_allclose(thin.gradient(w), risk.gradient(w), rtol=1e-12)
    np.testing.assert_allclose(thin.hessian(w), risk.hessian(w), rtol=1e-12, atol=1e-14)


@pytest.mark.notes("003", "supervised-recipe")
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_one_recipe_any_optimizer_the_same_hypothesis(loss):
    fits = [
        minimize_risk(X, target_of(loss), loss, L2Penalty(0.1), solver=s, tol=1e-7)
        for s in ("newton", "lbfgs", "gradient", "proximal")
    ]
    for fit in fits:
        np.testing.assert_allclose(fit.coef, fits[0].coef, atol=1e-5)
        assert fit.value == pytest.approx(fits[0].value, rel=1e-9) and fit.solution.converged
        assert fit.value == pytest.approx(fit.risk + fit.penalty)
    for _ in range(20):  # nothing nearby is better
        near = fits[0].coef + 0.05 * RNG.normal(size=4)
        risk = RegularizedRisk(X, target_of(loss), loss, L2Penalty(0.1))
        assert risk.value(np.append(near, fits[0].intercept)) >= fits[0].value


@pytest.mark.notes("000-b", "regularised-risk")
@pytest.mark.notes("003", "regularised-loss")
@pytest.mark.notes("004", "regularised-loss")
def test_against_scikit_learn():
    n = len(X)
    ridge = Ridge(alpha=3.0).fit(X, Y, W)
    ours = minimize_risk(X, Y, L.SquaredLoss(), L2Penalty(2 * 3.0 / W.sum()), sample_weight=W)
    np.testing.assert_allclose([*ours.coef, ours.intercept], [*ridge.coef_, ridge.intercept_], atol=1e-9)
    price = 3.0 / W.sum() * (ours.coef @ ours.coef)
    data = W @ (Y - X @ ours.coef - ours.intercept) ** 2 / W.sum()
    np.testing.assert_allclose([ours.risk, ours.penalty, ours.value], [data, price, data + price], rtol=1e-12)
    lasso = Lasso(alpha=0.1, tol=1e-12).fit(X, Y)
    ours = minimize_risk(X, Y, L.SquaredLoss(scale=0.5), L1Penalty(0.1), tol=1e-10)
    np.testing.assert_allclose([*ours.coef, ours.intercept], [*lasso.coef_, lasso.intercept_], atol=1e-8)
    assert np.sum(ours.coef == 0) == np.sum(lasso.coef_ == 0) >= 1  # exact zeros
    net = ElasticNet(alpha=0.2, l1_ratio=0.3, tol=1e-12).fit(X, Y)
    ours = minimize_risk(X, Y, L.SquaredLoss(scale=0.5), ElasticNetPenalty(0.2, 0.3), tol=1e-10)
    np.testing.assert_allclose(ours.coef, net.coef_, atol=1e-8)
    logistic = LogisticRegression(C=0.5, tol=1e-10, max_iter=1000).fit(X, T)
    ours = minimize_risk(X, T, L.LogisticLoss(), L2Penalty(1 / (0.5 * n)))
    np.testing.assert_allclose(ours.coef, logistic.coef_[0], atol=1e-5)
    softmax = LogisticRegression(C=0.5, tol=1e-10, max_iter=1000).fit(X, K)
    ours = minimize_risk(X, K, L.CrossEntropyLoss(), L2Penalty(1 / (0.5 * n)))
    assert ours.coef.shape == (4, 3) and ours.intercept.shape == (3,) and ours.solver == "lbfgs"
    np.testing.assert_allclose(ours.coef.T, softmax.coef_, atol=1e-4)
    counts = np.random.default_rng(2).poisson(np.exp(0.3 * X[:, 0] + 0.5))
    poisson = PoissonRegressor(alpha=0.1, tol=1e-10, max_iter=1000).fit(X, counts)
    ours = minimize_risk(X, counts, L.PoissonLoss(), L2Penalty(0.1))
    np.testing.assert_allclose(ours.coef, poisson.coef_, atol=1e-5)


@pytest.mark.notes("000-b", "regularised-risk")
def test_losses_with_kinks_are_solved_exactly_and_by_subgradients():
    C, n = 0.5, len(X)
    scale = L2Penalty(1 / (n * C))  # ||w||^2 / 2 + C sum of losses
    hinge = minimize_risk(X, T, L.HingeLoss(), scale)
    assert hinge.solver == "qp" and abs(hinge.solution.gap) < 1e-9
    peer = SVC(C=C, kernel="linear", tol=1e-10).fit(X, T)
    np.testing.assert_allclose(hinge.coef, peer.coef_[0], atol=1e-6)
    rough = minimize_risk(X, T, L.HingeLoss(), scale, solver="subgradient", tol=1e-6)
    assert hinge.value <= rough.value <= hinge.value * 1.02
    tube = minimize_risk(X, Y, L.EpsilonInsensitiveLoss(0.2), L2Penalty(0.01))
    again = minimize_risk(X, Y, L.EpsilonInsensitiveLoss(0.2), L2Penalty(0.01), solver="subgradient", max_iter=20_000)
    assert tube.value <= again.value <= tube.value * 1.02
    squared = minimize_risk(X, T, L.SquaredLoss(), scale)
    assert squared.solver == "newton"


def test_quantile_regression_and_weights():
    peer = QuantileRegressor(quantile=0.3, alpha=0.05).fit(X, Y)
    ours = minimize_risk(X, Y, L.QuantileLoss(0.3), L1Penalty(0.05))
    np.testing.assert_allclose([*ours.coef, ours.intercept], [*peer.coef_, peer.intercept_], atol=1e-7)
    weighted = minimize_risk(X, T, L.HingeLoss(), L2Penalty(0.1), sample_weight=W)
    repeated = minimize_risk(np.repeat(X, W, axis=0), np.repeat(T, W), L.HingeLoss(), L2Penalty(0.1))
    np.testing.assert_allclose(weighted.coef, repeated.coef, atol=1e-8)
    smooth = minimize_risk(X, T, L.LogisticLoss(), L2Penalty(0.1), sample_weight=W)
    again = minimize_risk(np.repeat(X, W, axis=0), np.repeat(T, W), L.LogisticLoss(), L2Penalty(0.1))
    np.testing.assert_allclose(smooth.coef, again.coef, atol=1e-9)


@pytest.mark.notes("004", "regularised-loss")
def test_penalties():
    w = np.array([1.0, -2.0, 0.0])
    lam = 0.3
    assert L2Penalty(2 * lam).value(w) == pytest.approx(lam * (w**2).sum())
    assert L1Penalty(lam).value(w) == pytest.approx(lam * np.abs(w).sum())
    np.testing.assert_allclose(L2Penalty(2 * lam).gradient(w), 2 * lam * w)
    np.testing.assert_allclose(L1Penalty(lam).gradient(w), lam * np.sign(w))
    for penalty in (L2Penalty(0.7), L1Penalty(0.7), ElasticNetPenalty(0.7, 0.4)):
        near = penalty.prox(w, 1.3)
        best = np.sum((near - w) ** 2) / 2 + 1.3 * penalty.value(near)
        for _ in range(50):
            u = near + 0.1 * RNG.normal(size=3)
            assert best <= np.sum((u - w) ** 2) / 2 + 1.3 * penalty.value(u)
    assert [p.smooth for p in (L2Penalty(), L1Penalty(), ElasticNetPenalty(1.0, 0.0))] == [True, False, True]
    stronger = [np.abs(minimize_risk(X, Y, L.SquaredLoss(), L2Penalty(s)).coef).sum() for s in (0.0, 0.1, 1.0, 10.0)]
    assert stronger == sorted(stronger, reverse=True)
    training = [minimize_risk(X, Y, L.SquaredLoss(), L2Penalty(s)).risk for s in (0.0, 0.1, 1.0)]
    assert training == sorted(training)  # the training risk always prefers no penalty


def test_projection_is_a_proximal_map():
    Q, c = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([-3.0, 1.0])
    found = proximal_gradient(
        lambda x: x @ Q @ x / 2 + c @ x, [0.5, 0.5], gradient=lambda x: Q @ x + c, prox=lambda v, t: np.clip(v, 0, 1)
    )
    np.testing.assert_allclose(found.x, [1, 0], atol=1e-8)
    with pytest.warns(NotConverged, match="proximal_gradient: stopped after 2 iterations"):
        minimize_risk(X, Y, L.SquaredLoss(), L1Penalty(0.1), max_iter=2)


def test_multioutput_squares_are_columns_on_their_own():
    both = minimize_risk(X, np.column_stack([Y, -2 * Y]), L.SquaredLoss(), L2Penalty(0.1), solver="lbfgs", tol=1e-10)
    one = minimize_risk(X, Y, L.SquaredLoss(), L2Penalty(0.1))
    np.testing.assert_allclose(both.coef[:, 0], one.coef, atol=1e-8)
    np.testing.assert_allclose(both.coef[:, 1], -2 * one.coef, atol=1e-8)
    with pytest.raises(ParameterError, match="only for one output"):
        RegularizedRisk(X, np.column_stack([Y, Y]), L.SquaredLoss()).hessian(np.zeros(10))
    assert "RiskMinimum: converged by newton" in repr(one)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: minimize_risk(X, T, L.ZeroOneLoss()),
            ParameterError,
            r"loss=ZeroOneLoss\(\)\): it is piecewise constant",
        ),
        (lambda: minimize_risk(X, T, "hinge"), ParameterError, "loss must be a Loss"),
        (lambda: minimize_risk(X, T, L.HingeLoss(), 0.1), ParameterError, r"penalty must be L2Penalty"),
        (lambda: minimize_risk(X, T, L.HingeLoss(), solver="adam"), ParameterError, r"minimize_risk\(solver='adam'\)"),
        (lambda: minimize_risk(X, T, L.HingeLoss(), solver="lbfgs"), ParameterError, "HingeLoss has kinks"),
        (
            lambda: minimize_risk(X, Y, L.SquaredLoss(), L1Penalty(), solver="newton"),
            ParameterError,
            "L1Penalty has kinks",
        ),
        (lambda: minimize_risk(X, T, L.HingeLoss(), solver="proximal"), ParameterError, "kinks of its own"),
        (
            lambda: minimize_risk(X, Y, L.SquaredLoss(), solver="qp"),
            ParameterError,
            "SquaredLoss is not piecewise linear",
        ),
        (lambda: minimize_risk(X, K, L.CrossEntropyLoss(), solver="newton"), ParameterError, "only for one output"),
        (lambda: minimize_risk(X, K, L.CrossEntropyLoss(True)), ParameterError, "a linear model gives scores"),
        (lambda: minimize_risk(X[:, 0], Y, L.SquaredLoss()), DataError, r"X has shape \(60,\)"),
        (lambda: minimize_risk(X[:5], Y, L.SquaredLoss()), DataError, r"target has shape \(60,\), prediction \(5,\)"),
        (lambda: minimize_risk(np.full((60, 1), np.nan), Y, L.SquaredLoss()), DataError, "X holds NaN or infinity"),
        (lambda: minimize_risk(X, Y * np.nan, L.SquaredLoss()), DataError, "finite value for each of the 60 rows"),
        (lambda: minimize_risk(X, Y, L.SquaredLoss(), start=[1.0]), DataError, r"start has shape \(1,\)"),
        (lambda: L1Penalty(-1), ParameterError, r"L1Penalty\(strength=-1\)"),
        (lambda: ElasticNetPenalty(1, 2), ParameterError, r"ElasticNetPenalty\(share=2\)"),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()
