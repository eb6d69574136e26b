r"""Three theorems that a computation can show.

No free lunch: over all Boolean targets f on a finite set, any learner is right on half of the instances that it was not shown,

    1/|F| sum_f accuracy of L(f on the training instances) on the rest = 1/2                                         (1)

Gauss and Markov: of all linear unbiased estimators C t of w in t = Phi w + noise (C Phi = I), least squares has the least variance,

    var(C t) - var(w_OLS) = sigma^2 (C C' - (Phi'Phi)^-1) = sigma^2 D D' >= 0,   D = C - (Phi'Phi)^-1 Phi'           (2)

Irrelevant features: columns of noise are appended, and the held-out score is taken for growing numbers of columns and of rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_array, check_consistent_length

from novum.exceptions import DataError, ParameterError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import cell_text, counted, num
from novum.report.result import Result
from novum.runtime.checks import check_count, check_number
from novum.runtime.random import seed_of
from novum.runtime.typing import Axes, DataFrame, Fittable, Numbers, Rows, Seed, Target

__all__ = ["GaussMarkov", "IrrelevantFeatures", "NoFreeLunch", "gauss_markov", "irrelevant_features", "no_free_lunch"]

MOST_INPUTS = 4  # 65,536 targets


@dataclass(frozen=True)
class NoFreeLunch(Result):
    """Accuracy of learners on unseen instances, one value per target.

    Attributes
    ----------
    accuracy : dict of str to ndarray of shape (n_targets,)
    targets : ndarray of bool, shape (n_targets, n_instances)
        Unseen instances last.
    n_train : int
    """

    accuracy: dict[str, NDArray[Any]]
    targets: NDArray[np.bool_]
    n_train: int

    @property
    def mean(self) -> dict[str, float]:
        """The left side of (1), by learner."""
        unseen = self.targets.shape[1] - self.n_train
        right = {
            name: int(np.rint(values * unseen).sum()) for name, values in self.accuracy.items()
        }  # counts: no rounding
        return {name: count / (len(self.targets) * unseen) for name, count in right.items()}

    def __repr__(self) -> str:
        said = ", ".join(f"{name} {num(value):.4f}" for name, value in self.mean.items())
        return f"accuracy on unseen instances over {counted(len(self.targets), 'target')}: {said}"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how many targets give which accuracy, by learner."""
        ax = drawing_axes(ax)
        unseen = self.targets.shape[1] - self.n_train
        levels = np.arange(unseen + 1) / unseen
        width = 0.8 / (unseen + 1) / len(self.accuracy)
        for i, (name, values) in enumerate(self.accuracy.items()):
            counts = [int(np.isclose(values, level).sum()) for level in levels]
            ax.bar(
                levels + (i - (len(self.accuracy) - 1) / 2) * width,
                counts,
                width,
                label=f"{name}, mean {num(values.mean()):.2f}",
            )
        ax.set(xlabel="accuracy on unseen instances", ylabel="targets")
        draw_legend(ax)
        return ax


def no_free_lunch(learners: Mapping[str, Any], n_inputs: int = 3, n_train: int = 5) -> NoFreeLunch:
    """Train learners on every Boolean target and measure them on the instances that they were not shown.

    Parameters
    ----------
    learners : mapping of str to classifier or function
        A classifier with fit and predict (a target that is constant on the training instances is answered by that constant), or a
        function of training inputs, training labels and unseen inputs.
    n_inputs : int, default=3
        Bits of an instance, at most 4.
    n_train : int, default=5
        Instances shown, the first of the 2^n_inputs.

    Examples
    --------
    >>> from novum.neighbors import KNeighborsClassifier
    >>> from novum.teaching import no_free_lunch
    >>> always = lambda X, y, unseen: [True] * len(unseen)
    >>> no_free_lunch({"always true": always, "1-NN": KNeighborsClassifier(1)})
    accuracy on unseen instances over 256 targets: always true .5000, 1-NN .5000
    """
    n = check_count("no_free_lunch", "n_inputs", n_inputs)
    if n > MOST_INPUTS:
        raise ParameterError(f"no_free_lunch(n_inputs={n}): there are 2^(2^{n}) targets; at most {MOST_INPUTS} inputs.")
    shown = check_count("no_free_lunch", "n_train", n_train)
    if shown >= 2**n:
        raise ParameterError(f"no_free_lunch(n_train={shown}): of the {2**n} instances some must stay unseen.")
    X = ((np.arange(2**n)[:, None] >> np.arange(n)[::-1]) & 1).astype(np.float64)
    targets = ((np.arange(2 ** (2**n))[:, None] >> np.arange(2**n)[::-1]) & 1).astype(bool)
    seen, which = np.unique(targets[:, :shown], axis=0, return_inverse=True)  # a learner sees no more than these
    accuracy = {}
    for name, learner in dict(learners).items():
        said = np.array([answers(learner, X[:shown], labels, X[shown:]) for labels in seen])
        accuracy[str(name)] = (said[which.ravel()] == targets[:, shown:]).mean(axis=1)
    return NoFreeLunch(accuracy, targets, shown)


def answers(learner: Any, X: NDArray, y: NDArray, unseen: NDArray) -> NDArray[np.bool_]:
    """Return what a learner says about the unseen instances."""
    if not hasattr(learner, "fit"):
        return np.asarray(learner(X, y, unseen)).astype(bool)
    if len(np.unique(y)) == 1:
        return np.full(len(unseen), y[0])
    return np.asarray(clone(learner).fit(X, y).predict(unseen)).astype(bool)


@dataclass(frozen=True)
class GaussMarkov(Result):
    """Covariances of least squares and of another linear unbiased estimator.

    Attributes
    ----------
    least_squares, other : ndarray of shape (p, p)
    """

    least_squares: NDArray[Any]
    other: NDArray[Any]

    @property
    def excess(self) -> NDArray[Any]:
        """Eigenvalues of the difference (2), ascending: none negative."""
        return np.linalg.eigvalsh(self.other - self.least_squares)

    @property
    def efficiency(self) -> NDArray[Any]:
        """Variance of least squares over that of the other, by coefficient: at most one."""
        return np.diag(self.least_squares) / np.diag(self.other)

    def __repr__(self) -> str:
        return f"variance of least squares relative to the other estimator: {cell_text(self.efficiency)}"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the standard deviations of both estimators, by coefficient."""
        ax = drawing_axes(ax)
        place = np.arange(len(self.other))
        for shift, covariance, name in ((-0.2, self.least_squares, "least squares"), (0.2, self.other, "other")):
            ax.bar(place + shift, np.sqrt(np.diag(covariance)), 0.4, label=name)
        ax.set(xticks=place, xlabel="coefficient", ylabel="standard deviation")
        draw_legend(ax)
        return ax


def gauss_markov(design: Numbers, weights: Numbers | None = None, *, noise: float = 1.0) -> GaussMarkov:
    """Return the covariances of least squares and of a weighted or any other linear unbiased estimator (2).

        var(C t) - var(w_OLS) = sigma^2 (C C' - (Phi'Phi)^-1) = sigma^2 D D' >= 0,   D = C - (Phi'Phi)^-1 Phi'    (2)

    Parameters
    ----------
    design : array-like of shape (n, p)
        Phi, of full column rank.
    weights : array-like of shape (n,) or (p, n), default=None
        Positive weights of the rows for weighted least squares, or the matrix C of any linear estimator with C Phi = I; None weighs
        the rows 1, 2, ..., n.
    noise : float, default=1
        Standard deviation of the noise.

    Examples
    --------
    >>> from novum.teaching import gauss_markov
    >>> found = gauss_markov([[1, 0], [1, 1], [1, 2], [1, 3]], weights=[1, 1, 1, 9])
    >>> bool((found.excess > -1e-12).all()), found.efficiency.round(3)
    (True, array([0.975, 0.834]))
    """
    phi = check_array(design, dtype=np.float64, input_name="design", estimator="gauss_markov")
    n, p = phi.shape
    if np.linalg.matrix_rank(phi) < p:
        raise DataError(
            f"gauss_markov: design has rank below its {counted(p, 'column')}; no linear estimator is unbiased."
        )
    variance = check_number("gauss_markov", "noise", noise, 0) ** 2
    given = np.arange(1.0, n + 1) if weights is None else np.asarray(weights, dtype=np.float64)
    if given.shape == (n,):
        if not (given > 0).all():
            raise DataError("gauss_markov: weights of rows must be positive.")
        C = np.linalg.solve((phi.T * given) @ phi, phi.T * given)
    elif given.shape == (p, n):
        C = given
        if not np.allclose(C @ phi, np.eye(p), atol=1e-8):
            raise DataError("gauss_markov: the estimator is biased: weights @ design must be the identity.")
    else:
        raise DataError(f"gauss_markov: weights have shape {given.shape}; give ({n},) or ({p}, {n}).")
    pseudo = np.linalg.pinv(phi)
    return GaussMarkov(variance * pseudo @ pseudo.T, variance * C @ C.T)


@dataclass(frozen=True)
class IrrelevantFeatures(Result):
    """Mean held-out scores by number of noise columns and of training rows.

    Attributes
    ----------
    n_noise : tuple of int
    n_train : tuple of int
    scores : ndarray of shape (len(n_train), len(n_noise))
    """

    n_noise: tuple[int, ...]
    n_train: tuple[int, ...]
    scores: NDArray[Any]

    def to_frame(self) -> DataFrame:
        """Return the scores, a row per number of training rows."""
        import pandas as pd

        return pd.DataFrame(
            self.scores, index=pd.Index(self.n_train, name="rows"), columns=pd.Index(self.n_noise, name="noise")
        )

    def __repr__(self) -> str:
        head = "rows \\ noise" + "".join(f"{k:>8d}" for k in self.n_noise)
        lines = [f"{n:>12d}" + "".join(f"{num(s):8.3f}" for s in row) for n, row in zip(self.n_train, self.scores)]
        return "\n".join([head, *lines])

    def _repr_html_(self) -> str:
        return self.to_frame().to_html(float_format=cell_text)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the score over the number of noise columns, a line per number of rows."""
        ax = drawing_axes(ax)
        for n, row in zip(self.n_train, self.scores):
            ax.plot(self.n_noise, row, "o-", label=counted(n, "row"))
        ax.set(xlabel="columns of noise", ylabel="held-out score")
        draw_legend(ax)
        return ax


def irrelevant_features(
    model: Fittable,
    X: Rows,
    y: Target,
    *,
    n_noise: Sequence[int] = (0, 2, 5, 10, 20, 50),
    n_train: Sequence[int] | None = None,
    n_repeats: int = 5,
    random_state: Seed = None,
) -> IrrelevantFeatures:
    """Append columns of standardized noise and measure the model on held-out rows.

    Parameters
    ----------
    model : estimator
        With fit and score.
    X, y : array-like
        Columns are standardized, so that noise weighs as much as they do.
    n_noise : sequence of int
        Numbers of columns to append.
    n_train : sequence of int, default=None
        Numbers of training rows; None takes half of the rows. The other rows are held out.
    n_repeats : int, default=5
        Splits and draws of noise to average over.
    random_state : int, Generator, RandomState or None, default=None

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novum.neighbors import KNeighborsClassifier
    >>> from novum.teaching import irrelevant_features
    >>> found = irrelevant_features(KNeighborsClassifier(), *load_iris(return_X_y=True), n_noise=(0, 40), random_state=0)
    >>> bool(found.scores[0, 0] > 0.9 > 0.8 > found.scores[0, 1])
    True
    """
    X = check_array(X, dtype=np.float64, input_name="X", estimator="irrelevant_features")
    y = np.asarray(y)
    check_consistent_length(X, y)
    n, scale = len(X), X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    columns = tuple(check_count("irrelevant_features", "n_noise", k, low=0) for k in n_noise)
    rows = tuple(check_count("irrelevant_features", "n_train", m, low=2) for m in (n_train or (n // 2,)))
    if max(rows) >= n:
        raise ParameterError(
            f"irrelevant_features(n_train={rows}): X has {counted(n, 'row')} and some must be held out."
        )
    rng = np.random.default_rng(seed_of(random_state))
    scores = np.zeros((len(rows), len(columns)))
    repeats = check_count("irrelevant_features", "n_repeats", n_repeats)
    for _ in range(repeats):
        order = rng.permutation(n)
        noise = rng.normal(size=(n, max(columns)))
        test = order[max(rows) :]
        for i, m in enumerate(rows):
            for j, k in enumerate(columns):
                wide = np.column_stack([X, noise[:, :k]])
                scores[i, j] += clone(model).fit(wide[order[:m]], y[order[:m]]).score(wide[test], y[test]) / repeats
    return IrrelevantFeatures(columns, rows, scores)
