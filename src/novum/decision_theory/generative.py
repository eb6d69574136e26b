r"""A classifier from any family of densities: Bayes' rule with class conditionals that are estimated or given.

    p(c | x, D) = p(x | c, D_c) p(c | D) / p(x | D),   p(x | D) = sum_c p(x | c, D_c) p(c | D)     (1)

with p(c | D) the share of class c, and p(x | c, D_c)
    "ml"     the density of the family with parameters of greatest likelihood,                     (2)
    "map"    with those of greatest posterior density under a conjugate prior,                     (3)
    "bayes"  the predictive density, the parameters integrated out,                                (4)
    "given"  a density that is known beforehand.                                                   (5)
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from novum.base.classes import labels_of
from novum.base.domains import ArrayLike, Choice, Domain, Instance, Null
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.generative import BayesRule, checked_priors
from novum.distributions import Distribution, MultivariateNormal
from novum.distributions.learning.labelled_rows import ColumnGroup, learn_parts, parts_log_prob
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Block, Source
from novum.naive_bayes.mixed import FAMILIES
from novum.runtime import arrays
from novum.runtime.random import seed_of
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target

__all__ = ["GenerativeClassifier"]

NAMES = {**FAMILIES, "multivariate_normal": MultivariateNormal}


class GenerativeParameters(NamedTuple):
    columns: tuple[int, ...]
    distributions: list[Any]  # one per class
    log_prior: np.ndarray  # (k,)


def joint_log(model: GenerativeParameters, block: Block) -> Any:
    """Return log p(x | c, D_c) + log p(c | D) of every row and class, in the dtype and home of the block."""
    score = parts_log_prob([model.columns], [[one] for one in model.distributions], block.X)
    score = score + arrays.like(score, model.log_prior)
    return score.to(block.X.dtype) if arrays.is_tensor(score) else score.astype(block.X.dtype, copy=False)


def evidence(model: GenerativeParameters, block: Block) -> Any:
    """Return log p(x | D) of every row."""
    score = joint_log(model, block)
    top = score.max(1, keepdims=True) if not arrays.is_tensor(score) else score.max(1, keepdim=True).values
    return (top + arrays.log(arrays.exp(score - top).sum(1)[:, None]))[:, 0]


class Mass(NamedTuple):
    mass: np.ndarray


def mass_of(k: int, block: Block) -> Mass:
    """Return the weight of every class in one block."""
    weight = None if block.weight is None else arrays.to_numpy(block.weight)
    return Mass(np.bincount(arrays.to_numpy(block.y), weight, minlength=k).astype(np.float64))


class GenerativeClassifier(BayesRule, Estimator):
    """Bayes' rule with class conditionals of any family.

    Parameters
    ----------
    family : str, class or object of `novum.distributions`, or dict, default="normal"
        What a class looks like: "multivariate_normal", a name of `MixedNB`, or a class (a model file keeps names only). A
        family of numbers has a distribution for every column, independent given the class; a family of vectors is one of
        whole rows. A dict gives every label its own; with `estimation="given"`, its distribution.
    estimation : {"ml", "map", "bayes", "given"}, default="ml"
        Eq. (2) to (5).
    prior : conjugate distribution or dict, default=None
        Of the parameters, for "map" and "bayes"; a dict gives every label its own. With "bayes" an object as `family`, such as
        `Normal(0, 2.0)`, brings what is known beside it (here the variance, under a `Normal` prior of the mean).
    class_prior : array-like of shape (n_classes,), default=None
        Probabilities of the classes; None takes their shares of the data.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    class_count_, class_prior_ : array of shape (n_classes,)
    distributions_ : list of distributions
        Density of every class.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.decision_theory import GenerativeClassifier
    >>> X, y = np.array([[1.0], [2], [3], [6], [8], [10], [8]]), [0, 0, 0, 1, 1, 1, 1]
    >>> GenerativeClassifier().fit(X, y).predict_proba([[4.0], [4.5]]).round(6)
    array([[0.779306, 0.220694],
           [0.203692, 0.796308]])

    The parameters integrated out:

    >>> from novum.distributions import Normal, NormalGamma
    >>> model = GenerativeClassifier(Normal, estimation="bayes", prior=NormalGamma(5, 0.1, 1, 1)).fit(X, y)
    >>> type(model.distributions_[0]).__name__
    'StudentT'
    """

    _squares_columns = True
    _domains: dict[str, Domain] = {
        "family": Choice(*NAMES) | Instance(type) | Instance(Distribution) | Instance(dict),
        "estimation": Choice("ml", "map", "bayes", "given"),
        "prior": Instance(Distribution) | Instance(dict) | Null(),
        "class_prior": ArrayLike() | Null(),
    }
    _scores_show_gaps = False
    class_count_: np.ndarray
    class_prior_: np.ndarray
    distributions_: list[Any]

    def __init__(
        self,
        family: str | Distribution | type[Distribution] | Mapping[Any, Any] = "normal",
        *,
        estimation: Literal["ml", "map", "bayes", "given"] = "ml",
        prior: Distribution | Mapping[Any, Any] | None = None,
        class_prior: Numbers | None = None,
    ) -> None:
        self.family = family
        self.estimation = estimation
        self.prior = prior
        self.class_prior = class_prior

    def _chosen(self, value: Any, name: str) -> list[Any]:
        """Return a parameter for every class."""
        if not isinstance(value, dict):
            return [value] * len(self.classes_)
        missing = [label for label in self.classes_.tolist() if label not in value]
        if missing:
            raise ParameterError(f"GenerativeClassifier({name}=...): there is none for class {missing[0]!r}.")
        return [value[label] for label in self.classes_.tolist()]

    def _part(self, family: Any, prior: Any, columns: tuple[int, ...]) -> ColumnGroup:
        """Return what a class is to learn."""
        family = NAMES.get(family, family) if isinstance(family, str) else family
        cls = family if isinstance(family, type) else type(family)
        if not issubclass(cls, Distribution):
            raise ParameterError(f"GenerativeClassifier(family={family!r}): give a family of novum.distributions.")
        if self.estimation != "ml" and prior is None:
            raise ParameterError(
                f"GenerativeClassifier(estimation={self.estimation!r}, prior=None): give the conjugate prior of"
                f" {cls.__name__}; novum.distributions.conjugate_pairs lists them."
            )
        return ColumnGroup(columns, cls, {}, None if self.estimation == "ml" else prior, family)

    def _given(self, d: int) -> list[Any]:
        """Return densities that are known, after their checks."""
        found = self._chosen(self.family, "family")
        for one in found:
            if not hasattr(one, "log_prob") or isinstance(one, type):
                raise ParameterError(
                    "GenerativeClassifier(estimation='given'): family must map every class to a distribution with its"
                    f" parameters, got {one!r}."
                )
            shape = one.event_shape or one.batch_shape
            if shape != (d,) and not (shape == () and d == 1):
                raise ParameterError(f"GenerativeClassifier: {one!r} is not of {d} column(s).")
        return found

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Estimate the density of every class.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = self._source(X, y, sample_weight, target="classes")
        self.classes_, coded = labels_of(source)
        k = len(self.classes_)
        mass = coded.without_features().total(mass_of, k).mass
        self.distributions_ = self._given(source.n_features) if self.estimation == "given" else self._learned(coded, k)
        self.class_count_ = mass
        given = self.class_prior
        self.class_prior_ = mass / mass.sum() if given is None else checked_priors("GenerativeClassifier", given, k)
        return self

    def _learned(self, source: Source, k: int) -> list[Any]:
        columns = tuple(range(source.n_features))
        chosen = zip(self._chosen(self.family, "family"), self._chosen(self.prior, "prior"))
        parts = [self._part(family, prior, columns) for family, prior in chosen]
        bayesian = self.estimation == "bayes"
        if len({(id(part.family), id(part.prior), id(part.likelihood)) for part in parts}) == 1:
            _, found = learn_parts("GenerativeClassifier", source, k, parts[:1], bayesian)
            return [row[0] for row in found]
        every = {i: learn_parts("GenerativeClassifier", source, k, [part], bayesian)[1] for i, part in enumerate(parts)}
        return [every[c][c][0] for c in range(k)]

    def _model(self) -> GenerativeParameters:
        check_is_fitted(self)
        with np.errstate(divide="ignore"):  # a class of prior zero
            return GenerativeParameters(
                tuple(range(self.n_features_in_)), self.distributions_, np.log(self.class_prior_)
            )

    def _joint(self) -> Any:
        return joint_log, self._model()

    def score_samples(self, X: Rows) -> Any:
        """Return the evidence log p(x | D) of every row."""
        return self._rows(X, evidence, self._model())

    def sample(self, n_samples: int = 1, random_state: Seed = None) -> Any:
        """Draw rows with their classes.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

        Returns
        -------
        X, array of shape (n_samples, n_features), and y, array of shape (n_samples,)
            Labels; rows come class by class.
        """
        check_is_fitted(self)
        if n_samples < 1:
            raise DataError(f"GenerativeClassifier.sample(n_samples={n_samples!r}): draw at least one row.")
        seed = seed_of(random_state)
        counts = np.random.default_rng(seed).multinomial(n_samples, self.class_prior_)
        parts = [
            np.reshape(one.sample(int(count), np.random.SeedSequence([seed, c])), (count, -1))
            for c, (one, count) in enumerate(zip(self.distributions_, counts))
        ]
        return np.vstack(parts), np.repeat(self.classes_, counts)

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the density of every class (1 or 2 features)."""
        from novum.decision_theory.plots import plot_generative

        return plot_generative(self, ax=ax)

    def _picture_of_rows(self, X: Any, rows: Any, y: Any, ax: Any) -> Any:
        from novum.decision_theory.plots import plot_generative

        return plot_generative(self, rows, y, ax) if rows.shape[1] < 3 else super()._picture_of_rows(X, rows, y, ax)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        vectors = isinstance(self.family, type) and bool(getattr(self.family, "_event_ndim", False))
        tags.input_tags.allow_nan = not vectors and self.family != "multivariate_normal"
        return tags
