"""The table of conjugate pairs: looked up by prior and likelihood, printed as in a textbook, and put to work."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from novum.distributions.base import Distribution
from novum.exceptions import ParameterError
from novum.report.result import Result
from novum.report.tables import html_table, text_table
from novum.runtime import arrays
from novum.runtime.blas import single_blas

__all__ = ["ConjugatePairs", "conjugate_pairs", "conjugate_prior", "log_evidence", "posterior", "resolve_pair"]

HEAD = ("likelihood", "unknown", "known", "prior", "posterior", "predictive")


class ConjugatePairs(Result):
    """All pairs of a likelihood and its conjugate prior; printed, they are a table.

    Examples
    --------
    >>> from novum.distributions import conjugate_pairs
    >>> len(conjugate_pairs)
    11
    >>> print(str(conjugate_pairs).splitlines()[1])
    Bernoulli           p                   -      Beta                  Beta(a + successes, b + failures)    ...
    """

    def __iter__(self) -> Iterator[Any]:
        from novum.distributions.conjugate.rules import PAIRS  # the families import this module

        return iter(PAIRS)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                pair.likelihood.__name__,
                pair.unknown,
                ", ".join(pair.known) or "-",
                pair.prior.__name__,
                pair.posterior_text,
                pair.predictive_text,
            )
            for pair in self
        ]

    def _result_columns(self) -> dict[str, Any]:
        return dict(zip(HEAD, map(list, zip(*self._rows()))))

    def __repr__(self) -> str:
        return "\n".join(text_table([HEAD, *self._rows()], left=len(HEAD), indent=""))

    def _repr_html_(self) -> str:
        return html_table([HEAD, *self._rows()])


conjugate_pairs = ConjugatePairs()


def conjugate_prior(likelihood: Distribution | type[Distribution], unknown: str | None = None) -> Any:
    """Return the line of the table for a likelihood.

    Parameters
    ----------
    likelihood : distribution or family
    unknown : str, optional
        Which parameters are unknown: "mean", "precision", ...; needed where the family has several priors.

    Returns
    -------
    ConjugatePair

    Examples
    --------
    >>> from novum.distributions import Normal, Poisson, conjugate_prior
    >>> conjugate_prior(Poisson).prior.__name__, conjugate_prior(Normal, "mean").prior.__name__
    ('Gamma', 'Normal')
    """
    family = likelihood if isinstance(likelihood, type) else type(likelihood)
    found = [pair for pair in conjugate_pairs if pair.likelihood is family and unknown in (None, pair.unknown)]
    if len(found) == 1:
        return found[0]
    choices = [pair.unknown for pair in conjugate_pairs if pair.likelihood is family]
    if not choices:
        known = ", ".join(dict.fromkeys(pair.likelihood.__name__ for pair in conjugate_pairs))
        raise ParameterError(
            f"conjugate_prior({family.__name__}): it has no conjugate prior here; there are pairs for {known}."
        )
    raise ParameterError(
        f"conjugate_prior({family.__name__}, unknown={unknown!r}): say which parameters are unknown: {choices}."
    )


def resolve_pair(prior: Any, likelihood: Any, method: str) -> tuple[Any, Any]:
    """Return the pair for a prior and a likelihood, and the likelihood: the one given, remembered, or by default."""
    owner = f"{type(prior).__name__}.{method}"
    own = [pair for pair in conjugate_pairs if pair.prior is type(prior)]
    if likelihood is None:
        free = [pair.likelihood for pair in own if not pair.known]
        likelihood = prior.__dict__.get("_likelihood", free[0] if len(free) == 1 else None)
    shown = " or ".join(
        f"{pair.likelihood.__name__}({', '.join(f'{name}=...' for name in pair.known)})"
        if pair.known
        else pair.likelihood.__name__
        for pair in own
    )
    family = likelihood if isinstance(likelihood, type) else type(likelihood)
    for pair in own:
        if pair.likelihood is family:
            if pair.known and isinstance(likelihood, type):
                raise ParameterError(
                    f"{owner}(likelihood={family.__name__}): {', '.join(pair.known)} must be known; give likelihood={shown}."
                )
            return pair, likelihood
    given = "likelihood is missing" if likelihood is None else f"likelihood={likelihood!r} is no partner of this prior"
    raise ParameterError(f"{owner}: {given}; give likelihood={shown}.")


def about(pair: Any, prior: Any, likelihood: Any, rows: Any) -> Any:
    """Return the distribution about which the sums are taken: near the data where a location is unknown."""
    if "mean" not in pair.unknown:
        return pair.bound(likelihood, pair.center(prior))
    center = arrays.to_numpy(arrays.double(rows).mean(0)) if rows.shape[0] else getattr(prior, "center", prior.mean)
    return pair.likelihood(center, 1.0)


def open_pair(prior: Any, data: Any, likelihood: Any, sample_weight: Any, method: str) -> tuple[Any, Any, Any, bool]:
    """Return pair, likelihood, source of the data, and whether they are one-dimensional."""
    from novum.distributions.learning.fit import open_rows  # the engine is needed for data, not for a table of pairs

    pair, chosen = resolve_pair(prior, likelihood, method)
    source, flat = open_rows(f"{type(prior).__name__}.{method}", data, sample_weight)
    return pair, chosen, source, flat


def posterior(prior: Any, data: Any, likelihood: Any, sample_weight: Any, method: str = "update") -> tuple[Any, ...]:
    """Return the posterior, then the pair, the likelihood, the source and its flatness for further passes."""
    from novum.distributions.learning.fit import rows_of, statistics_of

    pair, chosen, source, flat = open_pair(prior, data, likelihood, sample_weight, method)
    rows, _ = rows_of(source.first(), pair.likelihood._event_ndim, flat)
    near = about(pair, prior, chosen, rows)
    with single_blas():
        sums = source.total(statistics_of, (near, flat, f"{type(prior).__name__}.{method}"))
        found = pair.posterior(prior, chosen, near, sums)
    found.__dict__["_likelihood"] = chosen
    return found, pair, chosen, source, flat


class Fit(NamedTuple):
    """Sum of w_i log p(x_i) for every distribution of a batch."""

    log_likelihood: Any


def log_likelihood_of(params: tuple[Any, bool], block: Any) -> Fit:
    """Return the weighted log-likelihood of one block."""
    from novum.distributions.learning.fit import rows_of

    model, flat = params
    x, weight = model._aligned(*rows_of(block, model._event_ndim, flat))
    return Fit(model._sum(model.log_prob(x), weight))


def log_evidence(prior: Any, data: Any, likelihood: Any, sample_weight: Any) -> Any:
    """Return log p(D) by the identity of `novum.distributions.conjugate.prior`, eq. (4)."""
    found, pair, chosen, source, flat = posterior(prior, data, likelihood, sample_weight, "log_evidence")
    theta = pair.center(found)
    with single_blas():
        fit = source.total(log_likelihood_of, (pair.bound(chosen, theta), flat))
    value = fit.log_likelihood + prior.log_prob(theta) - found.log_prob(theta)
    return float(value) if np.ndim(value) == 0 else value
