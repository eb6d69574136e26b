"""Estimators, losses and drivers of the package on the small data of the notes."""

from typing import Any

import numpy as np

from novum.datasets import make_separable
from novum.notes.stops.registry import stop

HOURS, MARKS = np.arange(4.0)[:, None], np.array([1.0, 3.0, 2.0, 5.0])


@stop("000", "12.5", "least squares on four points: slope", reference=1.1, remark="normal equations by hand")
def least_squares() -> Any:
    from novum.linear_model import LinearRegression

    return float(LinearRegression().fit(HOURS, MARKS).coef_[0])


@stop("000", "12.4", "gradient descent on four points: slope", reference=1.1, remark="as least squares, below")
def descent() -> Any:
    from novum.optimize import gradient_descent

    X = np.column_stack([np.ones(4), HOURS])
    run = gradient_descent(
        lambda w: 0.5 * np.sum((MARKS - X @ w) ** 2), [0.0, 0.0], gradient=lambda w: -X.T @ (MARKS - X @ w), tol=1e-6
    )
    return float(run.x[1])


@stop("000", "12.4", "perceptron on AND, rows in order: corrections", reference=18, remark="ends at (-4, 3, 2)")
def perceptron() -> Any:
    from novum.linear_model import Perceptron

    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1]
    return Perceptron(shuffle=False, tol=None).fit(X, y).n_updates_


@stop("000", "12.3", "XOR: a point in the hulls of both classes", reference=0.5, remark="both coordinates")
def separability() -> Any:
    from novum.linear_model import is_linearly_separable

    point = is_linearly_separable([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).point
    return "none" if point is None else float(point[0])


@stop("000", "13.2", "widest margin between six points", reference=1.5 * np.sqrt(2), remark="2 / |w|, w = (2/3, 2/3)")
def margin() -> Any:
    from novum.optimize import solve_qp

    X, y = make_separable(return_X_y=True)
    A = -y[:, None] * np.column_stack([X, np.ones(6)])  # y (w x + b) >= 1
    w = solve_qp(np.diag([1.0, 1.0, 0.0]), np.zeros(3), A_ub=A, b_ub=-np.ones(6)).x[:2]
    return float(2 / np.linalg.norm(w))


@stop("000", "18.1", "k-means on 1 2 3 8 9 10 from centers 1 and 2: error", reference=4.0, remark="means 2 and 9")
def k_means() -> Any:
    from novum.cluster import KMeans

    X = np.array([[1.0], [2.0], [3.0], [8.0], [9.0], [10.0]])
    return float(KMeans(2, init=np.array([[1.0], [2.0]]), n_init=1).fit(X).inertia_)


@stop("003", "3.3", "ridge, lambda 2, on four points: slope", reference=1.7, remark="(2 I + X'X) w = X't")
def ridge() -> Any:
    from novum.linear_model import Ridge

    X = np.column_stack([np.ones(4), HOURS])
    return float(Ridge(alpha=2.0, fit_intercept=False).fit(X, np.array([1.0, 3.0, 4.0, 7.0])).coef_[1])


@stop("003", "3.3", "lasso, lambda 2, on four points: slope", reference=1.8, remark="soft(9.5, 1/2) / 5")
def lasso() -> Any:
    from novum.linear_model import Lasso

    return float(Lasso(alpha=2 / 16, tol=1e-12).fit(HOURS - 1.5, np.array([1.0, 3.0, 4.0, 7.0])).coef_[0])


@stop(
    "004",
    "2",
    "logistic regression on six points: slope",
    reference=1.214028,
    remark="reweighted least squares by hand",
)
def logistic() -> Any:
    from novum.linear_model import LogisticRegression

    return float(LogisticRegression(C=np.inf).fit(np.arange(6.0)[:, None], [0, 0, 1, 0, 1, 1]).coef_[0, 0])


@stop("004", "2", "6 ft, 130 lb, foot 8 in: male or female?", reference="female", remark="the well-known table")
def sex() -> Any:
    from novum.naive_bayes import GaussianNB

    X = [[6, 180, 12], [5.92, 190, 11], [5.58, 170, 12], [5.92, 165, 10]]
    X += [[5, 100, 6], [5.5, 150, 8], [5.42, 130, 7], [5.75, 150, 9]]
    model = GaussianNB(var_smoothing=0.0).fit(np.array(X), np.repeat(["male", "female"], 4))
    return str(model.predict(np.array([[6.0, 130.0, 8.0]]))[0])


@stop(
    "004",
    "3",
    "descent on (t - 1)^2 from 4, step .1: updates",
    reference=70.0,
    remark="until the slope is 1e-6",
)
def updates() -> Any:
    from novum.optimize import gradient_descent

    run = gradient_descent(lambda t: (t - 1) ** 2, 4.0, gradient=lambda t: 2 * (t - 1), learning_rate=0.1, tol=1e-6)
    return float(run.n_iter)
