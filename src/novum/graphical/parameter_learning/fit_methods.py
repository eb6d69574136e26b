"""How a network learns from data: the methods `fit` and `partial_fit`."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

from novum.graphical.parameter_learning.network_fit import fit_network, partial_fit_network, unchanged_on_error
from novum.graphical.parameter_learning.tables import FitReport
from novum.runtime.typing import Rows, RowWeights, Seed

__all__ = ["FitsTables"]


class FitsTables:
    """`fit` and `partial_fit` of a Bayesian network."""

    report_: FitReport

    def fit(
        self,
        data: Rows | Mapping[Any, Any] | Iterable[Any],
        *,
        prior: Any = None,
        equivalent_sample_size: float = 1.0,
        estimate: str = "mean",
        sample_weight: RowWeights = None,
        init: str = "available",
        n_init: int = 1,
        max_iter: int = 1000,
        tol: float = 1e-9,
        random_state: Seed = None,
    ) -> Self:
        """Learn the tables from data: by counting, or by EM where cells are missing.

        Parameters
        ----------
        data : frame, mapping of variable to column, array of rows, scan, iterator of frames, or Dask frame
            Missing cells may stand anywhere; a hidden variable has a column of them. States of variables that have none yet are
            taken from the data: the categories of a categorical column, else the values found, sorted. Data in parts need known
            states and no missing cells.
        prior : None, float, "laplace", "k2", "bdeu" or mapping of variable to pseudo-counts, optional
            None: maximum likelihood. A number is added to every count; "laplace" and "k2" add one, "bdeu" spreads
            `equivalent_sample_size` evenly over each table.
        estimate : {"mean", "mode"}, default="mean"
            With a prior: the posterior mean (counts + prior), or its mode (counts + prior - 1).
        sample_weight : array of shape (n,), optional
        init : {"available", "uniform", "random"}, default="available"
            Start of EM: from the rows in which a family is complete, uniform tables, or random ones.
        n_init : int, default=1
            Starts; those after the first are random, the best is kept.
        max_iter, tol, random_state
            Of EM: it stops when the objective rises by less than `tol` relative.

        Returns
        -------
        BayesianNetwork
            Itself; `report_` says what was found.

        Examples
        --------
        >>> from novum.graphical import BayesianNetwork
        >>> rows = {"rain": ["yes", "yes", "no", "no", "no"], "wet": ["yes", "yes", "no", None, "yes"]}
        >>> network = BayesianNetwork([("rain", "wet")]).fit(rows)
        >>> network.tables["wet"].round(3), network.report_.converged
        (array([[0.5, 0.5],
               [0. , 1. ]]), True)
        """
        network: Any = self
        with unchanged_on_error(network):
            self.report_ = fit_network(
                network,
                data=data,
                prior=prior,
                equivalent_sample_size=equivalent_sample_size,
                estimate=estimate,
                sample_weight=sample_weight,
                init=init,
                n_init=n_init,
                max_iter=max_iter,
                tol=tol,
                random_state=random_state,
            )
        return self

    def partial_fit(
        self,
        data: Rows | Mapping[Any, Any] | Iterable[Any],
        *,
        prior: Any = None,
        equivalent_sample_size: float = 1.0,
        sample_weight: RowWeights = None,
    ) -> Self:
        """Learn from more rows, without missing cells: the tables are those of `fit` on all rows seen so far."""
        network: Any = self
        with unchanged_on_error(network):
            self.report_ = partial_fit_network(network, data, prior, equivalent_sample_size, sample_weight)
        return self
