"""Classifiers by moments and logistic regression on a device: whole fits and predictions of labels."""

import torch

from benchmarks.devices.harness import Case, difference, normal
from novum.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from novum.linear_model import LogisticRegression
from novum.naive_bayes import GaussianNB

ROWS, COLUMNS, CLASSES = 4_000_000, 32, 8


def data(n=ROWS, classes=CLASSES, dtype=torch.float32):
    centers = normal(classes, COLUMNS, seed=1, dtype=dtype)
    X = normal(n, COLUMNS, dtype=dtype)
    y = (X @ centers.T + 2 * normal(n, classes, seed=2, dtype=dtype)).argmax(1)
    return X + 0.5 * centers[y], y


def fit(make_model, classes=CLASSES):
    def make():
        X, y = data(classes=classes)
        return lambda: make_model().fit(X, y)

    return make


def predict(make_model):
    def make():
        X, y = data()
        model = make_model().fit(X, y)
        return lambda: model.predict(X)

    return make


def moments(X, y, classes):
    member = torch.nn.functional.one_hot(y, classes).to(X.dtype)
    mass = member.sum(0)
    return member, mass, (member.T @ X) / mass[:, None]


def plain_linear():
    X, y = data()

    def call():
        _, mass, mean = moments(X, y, CLASSES)
        rest = X - mean[y]
        return torch.linalg.solve(rest.T @ rest / len(X), mean.T), mass

    return call


def plain_quadratic():
    X, y = data()

    def call():
        _, _, mean = moments(X, y, CLASSES)
        rest = X - mean[y]
        return [torch.linalg.cholesky(torch.cov(rest[y == c].T)) for c in range(CLASSES)]

    return call


def plain_bayes():
    X, y = data()

    def call():
        member, mass, mean = moments(X, y, CLASSES)
        return mean, (member.T @ (X - mean[y]) ** 2) / mass[:, None]

    return call


def plain_logistic():
    X, y = data(classes=2)
    steps = int(logistic().fit(X, y).n_iter_[0])

    def call():
        ones = torch.ones(len(X), 1, device=X.device, dtype=X.dtype)
        rows, t = torch.cat([X, ones], dim=1), y.to(X.dtype)
        theta = torch.zeros(rows.shape[1], device=X.device, dtype=X.dtype)
        for _ in range(steps):
            s = torch.sigmoid(rows @ theta)
            gradient = rows.T @ (s - t)
            hessian = (rows * (s * (1 - s))[:, None]).T @ rows
            theta = theta - torch.linalg.solve(hessian, gradient)
        return theta

    return call


def error(make_model, of, classes=CLASSES):
    def measure():
        X, y = data(100_000, classes)
        there, here = make_model().fit(X, y), make_model().fit(X.cpu().double().numpy(), y.cpu().numpy())
        labels = there.predict(X).cpu().numpy() != here.predict(X.cpu().double().numpy())
        return max(difference(getattr(there, of), getattr(here, of)), float(labels.mean()))

    return measure


def logistic():
    """Return the model with a tolerance at which the optimum, not the route to it, decides the digits."""
    return LogisticRegression(tol=1e-8)


LDA, QDA, NB = LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, GaussianNB
CASES = [
    Case("LDA, 4e6 x 32, 8 classes, float32", None, fit(LDA), plain_linear, error(LDA, "coef_")),
    Case("QDA, the same", None, fit(QDA), plain_quadratic, error(QDA, "means_")),
    Case("GaussianNB, the same", None, fit(NB), plain_bayes, error(NB, "var_")),
    Case(
        "LogisticRegression, two classes, the same rows",
        None,
        fit(logistic, 2),
        plain_logistic,
        error(logistic, "coef_", 2),
    ),
    Case("LogisticRegression, 8 classes", None, fit(logistic), None, error(logistic, "coef_")),
    Case("LDA predict", None, predict(LDA), None, error(LDA, "coef_")),
    Case("QDA predict", None, predict(QDA), None, error(QDA, "means_")),
    Case("GaussianNB predict", None, predict(NB), None, error(NB, "var_")),
]
