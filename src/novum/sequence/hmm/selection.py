r"""How many states: Bayesian and Akaike's criterion, and the likelihood of sequences that a fit has not seen.

    BIC = -2 log p(x) + parameters log n,   held-out = sum over folds of log p(x_fold | fit on the others)     (31)

Folds are whole sequences; a single sequence is cut into as many stretches as folds, which costs the transitions between them.
"""

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone

from novum.exceptions import NotConverged, ParameterError
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.report.style import shade
from novum.runtime.typing import Fittable, Rows, Target
from novum.runtime.warn import warn
from novum.sequence.hmm.base import HiddenMarkovBase
from novum.sequence.hmm.bundles import Bundle, offsets_of
from novum.sequence.hmm.variational.base import VariationalBase

__all__ = ["StateChoice", "compare_states"]

WORSE = 0.01  # share of a log-likelihood that a fit with more states must miss to be called a poor maximum


class StateChoice(Result):
    """What every number of states comes to.

    Attributes
    ----------
    n_components : list of int
    log_likelihood, bic, aic : list of float
    held_out : list of float
        Log-likelihood of unseen stretches, summed over folds; empty without cv.
    best : int
        The number with the least BIC, or with cv the largest held-out likelihood.
    models : list of fitted models
    """

    def __init__(
        self, models: list[Any], log_likelihood: list[float], bic: list[float], aic: list[float], held_out: list[float]
    ) -> None:
        self.models = models
        self.n_components = [model._k for model in models]
        self.log_likelihood, self.bic, self.aic, self.held_out = log_likelihood, bic, aic, held_out

    @property
    def best(self) -> int:
        """The number of states to take."""
        place = int(np.argmax(self.held_out)) if self.held_out else int(np.argmin(self.bic))
        return self.n_components[place]

    @property
    def best_model(self) -> Any:
        """The model with that many states, fitted on all rows."""
        return self.models[self.n_components.index(self.best)]

    def _result_columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "states": self.n_components,
            "log-likelihood": self.log_likelihood,
            "BIC": self.bic,
            "AIC": self.aic,
        }
        return columns | ({"held out": self.held_out} if self.held_out else {})

    def _result_scalars(self) -> dict[str, Any]:
        return {"best": self.best}

    def _result_picture(self, ax: Any) -> None:
        values = self.held_out or self.bic
        ax.plot(self.n_components, values, marker="o")
        ax.axvline(self.best, color=shade(ax, 0.7), lw=1)
        ax.set(xlabel="states", ylabel="held-out log-likelihood" if self.held_out else "BIC", xticks=self.n_components)


def stretches(bundle: Bundle, folds: int) -> list[Any]:
    """Return sequences to deal to folds: the sequences themselves, or a single one cut into stretches."""
    parts = np.split(bundle.X, bundle.offsets[1:-1])
    return (
        parts
        if len(parts) >= folds
        else [piece for part in parts for piece in np.array_split(part, folds) if len(piece)]
    )


def warn_of_low_maxima(counts: Sequence[int], scores: Sequence[float]) -> None:
    """Warn where more states explain the rows less well than fewer do, which only a poor local maximum can."""
    best, at = -np.inf, 0
    for k, score in sorted(zip(counts, scores)):
        if score < best - WORSE * max(1.0, abs(best)):
            warn(
                f"compare_states: {counted(k, 'state')} reach the log-likelihood {num(score):.6g}, "
                f"{counted(at, 'state')} {num(best):.6g}: the fit of {k} ended "
                "in a poor local maximum, and its row says nothing of that number. Give the model n_init=10.",
                NotConverged,
            )
        elif score > best:
            best, at = score, k


def compare_states(
    model: Fittable,
    X: Rows,
    n_components: Sequence[int] = (1, 2, 3, 4),
    lengths: Target = None,
    *,
    groups: Target = None,
    cv: int | None = None,
) -> StateChoice:
    """Fit a model with several numbers of states and say what each is worth.

    Parameters
    ----------
    model : hidden Markov model
        Not changed: copies of it are fitted.
    X, lengths, groups
        As in `fit`; rows in memory.
    n_components : sequence of int, default=(1, 2, 3, 4)
    cv : int, default=None
        Folds of the held-out likelihood; None leaves it out.

    Returns
    -------
    StateChoice
        A table with `best`, `best_model` and a picture.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sequence import GaussianHMM, compare_states
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, 60), rng.normal(5, 1, 60), rng.normal(0, 1, 60)])
    >>> compare_states(GaussianHMM(random_state=0, n_init=3), X, (1, 2)).best
    2
    """
    if not isinstance(model, HiddenMarkovBase):
        raise ParameterError(
            f"compare_states: model must be a hidden Markov model of novum.sequence; got {model!r:.60}."
        )
    counts = list(n_components) if isinstance(n_components, Iterable) else []
    if not counts or any(isinstance(k, bool) or not isinstance(k, Integral) or k < 1 for k in counts):
        raise ParameterError(
            f"compare_states: n_components must be several numbers of one or more, as in (1, 2, 3); got {n_components!r}."
        )
    if cv is not None and (isinstance(cv, bool) or not isinstance(cv, int) or cv < 2):
        raise ParameterError(f"compare_states: cv must be an int of two or more, or None; got {cv!r}.")
    found, held = [], []
    source = clone(model)._sequences(X, lengths, groups, None, None, reset=True)
    bundle = source.first()
    rows, sizes = bundle.X, np.diff(bundle.offsets)
    parts = [] if cv is None else stretches(bundle, cv)
    if cv is not None and len(parts) < cv:
        raise ParameterError(
            f"compare_states: cv={cv} folds, but X can be cut into {len(parts)} stretches only; lower cv."
        )
    for k in counts:
        one = clone(model).set_params(n_components=k).fit(rows, sizes)
        found.append(one)
        if cv is not None:
            total = 0.0
            for fold in range(cv):
                train = [part for i, part in enumerate(parts) if i % cv != fold]
                test = [part for i, part in enumerate(parts) if i % cv == fold]
                learned = clone(model).set_params(n_components=k).fit(train)
                total += float(
                    learned.score(np.concatenate(test), np.diff(offsets_of(np.array([len(part) for part in test]))))
                )
            held.append(total)
    scores = [float(one.score(rows, sizes)) for one in found]
    if not isinstance(model, VariationalBase):  # their priors may well prefer fewer states
        warn_of_low_maxima(counts, scores)
    free = [one._n_parameters() for one in found]
    bic = [-2 * value + count * float(np.log(len(rows))) for value, count in zip(scores, free)]
    aic = [-2 * value + 2 * count for value, count in zip(scores, free)]
    return StateChoice(found, scores, bic, aic, held)
