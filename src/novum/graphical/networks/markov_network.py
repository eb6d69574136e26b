r"""Markov networks: an undirected graph with a potential on each of its cliques.

    p(x) = prod_c psi_c(x_c) / Z,     psi_c >= 0                                                                    (1)
    psi_S(x_S) = exp sum_{T in S} (-1)^{|S| - |T|} log p(x_T, x*_{V \ T})                 canonical potentials        (2)

By Hammersley and Clifford a positive p with the independences of a graph factorises over its cliques: (2), with any
reference x*, is one for every set S that is not joined, and the product of the others is p / p(x*).
"""

from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property
from itertools import chain, combinations
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.distributions import JointTable
from novum.exceptions import FileFormatError, ParameterError
from novum.graphical.formats.files import ending, text_of
from novum.graphical.formats.uai import Tables, read_uai, write_uai
from novum.graphical.graphs.undirected import Separation, UndirectedGraph
from novum.graphical.networks.factor_graph import FactorGraph
from novum.graphical.networks.product import NamedFactor, Product, read_factors
from novum.graphical.parameter_learning.potentials import fit_markov
from novum.report.result import Result
from novum.runtime.message_text import first_few
from novum.runtime.typing import Axes, Label, Labels, Rows, RowWeights, Seed

__all__ = ["MarkovNetwork", "canonical_potentials"]


class MarkovNetwork(Product, Result):
    """A Markov random field (1) of discrete variables.

        p(x) = prod_c psi_c(x_c) / Z,   psi_c >= 0    (1)

    Parameters
    ----------
    potentials : mapping of name to (variables, table), or iterable of (variables, table)
        Tables >= 0 with an axis per variable.
    states : mapping of variable to states, optional
        0, 1, ... by default.

    Attributes
    ----------
    potentials : list of NamedFactor
    graph : UndirectedGraph
        Variables that share a potential are joined.

    Examples
    --------
    >>> from novum.graphical import MarkovNetwork
    >>> attract = [[2, 1], [1, 3]]
    >>> chain = MarkovNetwork([(("x1", "x2"), attract), (("x2", "x3"), attract), (("x3", "x4"), attract)])
    >>> chain
    MarkovNetwork: x1 - x2, x2 - x3, x3 - x4; 3 potentials
    >>> round(chain.partition, 6), chain.query("x2").p.round(6)
    (90.0, array([0.333333, 0.666667]))
    >>> chain.separated("x1", "x4", given="x2")
    True: every path is blocked
    """

    potentials: list[Any]

    def __init__(self, potentials: Mapping[Any, Any] | Iterable[Any], states: Mapping[Any, Any] | None = None) -> None:
        self.states, self.potentials = read_factors(type(self).__name__, potentials, states)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "MarkovNetwork":
        """Return the network of a UAI file."""
        from pathlib import Path

        owner = f"{cls.__name__}.read"
        if ending(owner, Path(path)) != ".uai":
            raise ParameterError(f"{owner}({str(path)!r}): Markov networks are read from .uai files.")
        found = read_uai(text_of(owner, Path(path)))
        if found.directed:
            raise FileFormatError("UAI: a BAYES file; read it with BayesianNetwork.read.")
        names = [f"x{i}" for i in range(len(found.cards))]
        scopes = [tuple(names[v] for v in scope) for scope in found.scopes]
        return cls(
            list(zip(scopes, found.tables, strict=True)),
            {n: tuple(range(c)) for n, c in zip(names, found.cards, strict=True)},
        )

    def write(self, path: str | PathLike[str]) -> None:
        """Write the network to a UAI file, which keeps numbers and no names."""
        from pathlib import Path

        if ending(self._owner("write"), Path(path)) != ".uai":
            raise ParameterError(f"{self._owner('write')}({str(path)!r}): Markov networks are written to .uai files.")
        place = {v: i for i, v in enumerate(self.states)}
        scopes = [tuple(place[v] for v in f.variables) for f in self.potentials]
        tables = Tables(False, tuple(len(s) for s in self.states.values()), scopes, [f.table for f in self.potentials])
        Path(path).write_text(write_uai(tables))

    @cached_property
    def graph(self) -> UndirectedGraph:
        return UndirectedGraph(chain.from_iterable(combinations(f.variables, 2) for f in self.potentials), self.states)

    def _tables(self) -> list[NamedFactor]:
        return self.potentials

    def separated(self, a: Hashable | Iterable[Any], b: Hashable | Iterable[Any], given: Labels = ()) -> Separation:
        """Return whether every path from a to b passes through `given`: then they are independent given it."""
        return self.graph.separated(a, b, given)

    def markov_blanket(self, variable: Label) -> set[Any]:
        """Return the neighbours: given them the variable is independent of the rest."""
        return self.graph.markov_blanket(variable)

    def fit(
        self,
        data: Rows | Mapping[Any, Any] | Iterable[Any],
        *,
        method: str = "ipf",
        l2: float = 0.0,
        max_iter: int = 1000,
        tol: float = 1e-10,
        sample_weight: RowWeights = None,
        random_state: Seed = None,
    ) -> "MarkovNetwork":
        """Learn the potentials: the marginals of the cliques become those of the data.

        Parameters
        ----------
        data : frame, mapping of variable to column, or array of rows
        method : {"ipf", "gradient", "sampled"}, default="ipf"
            Iterative proportional fitting; L-BFGS on the logs with the penalty l2/2 |log psi|^2, which keeps potentials of
            combinations that were never seen above zero; or gradients estimated by Gibbs chains, for networks too large for
            exact inference.
        l2 : float, default=0
        max_iter, tol
            Until no clique marginal is off by more than `tol`.
        sample_weight : array of shape (n,), optional
        random_state : of "sampled"

        Returns
        -------
        MarkovNetwork
            Itself; `report_` says what was found.

        Examples
        --------
        >>> from novum.graphical import MarkovNetwork
        >>> pairs = MarkovNetwork([(("a", "b"), [[1, 1], [1, 1]])]).fit({"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]})
        >>> pairs.query(["a", "b"]).p
        array([[0.25, 0.25],
               [0.  , 0.5 ]])
        """
        tables, self.report_ = fit_markov(
            self,
            data=data,
            method=method,
            l2=l2,
            max_iter=max_iter,
            tol=tol,
            sample_weight=sample_weight,
            random_state=random_state,
        )
        self.potentials = [f._replace(table=t) for f, t in zip(self.potentials, tables, strict=True)]
        for key in ("_compiled", "log_partition"):
            self.__dict__.pop(key, None)
        return self

    def plot(self, ax: Axes | None = None, observed: Labels = ()) -> Axes:
        """Draw the undirected graph; observed variables are filled."""
        return self.graph.plot(ax, observed)

    def to_factor_graph(self) -> FactorGraph:
        """Return the factor graph with a factor per potential."""
        return FactorGraph({f.name: (f.variables, f.table) for f in self.potentials}, self.states)

    def _result_columns(self) -> dict[str, Any]:
        return {
            "potential": [f.name for f in self.potentials],
            "variables": [first_few(f.variables) for f in self.potentials],
        }

    def __repr__(self) -> str:
        graph = repr(self.graph).removeprefix("UndirectedGraph: ")
        return f"{type(self).__name__}: {graph}; {len(self.potentials)} potential{'s' * (len(self.potentials) != 1)}"


def canonical_potentials(
    table: JointTable, reference: Mapping[str, Any] | None = None, tol: float = 1e-9
) -> MarkovNetwork:
    """Return the Markov network of the potentials (2) of a positive joint table; those that are one everywhere are left out.

        psi_S(x_S) = exp sum_{T in S} (-1)^{|S| - |T|} log p(x_T, x*_{V without T})   canonical potentials    (2)

    Its graph is the smallest one over which the table factorises.

    Examples
    --------
    >>> from novum.distributions import JointTable
    >>> from novum.graphical import canonical_potentials
    >>> chain = JointTable([[[0.4, 0.1], [0.05, 0.1]], [[0.08, 0.02], [0.25 / 3, 0.5 / 3]]], names=list("abc"))
    >>> canonical_potentials(chain).graph
    UndirectedGraph: a - b, b - c
    """
    p: NDArray[np.float64] = table.p
    if not (p > 0).all():
        raise ParameterError(
            "canonical_potentials: the theorem needs a table > 0 everywhere; this one has a cell of zero."
        )
    at = [table.states[n].index((reference or {}).get(n, table.states[n][0])) for n in table.names]
    logs = np.log(p)
    n = p.ndim
    factors: list[NamedFactor] = []
    for size in range(1, n + 1):
        for subset in combinations(range(n), size):
            total = np.zeros([p.shape[i] for i in subset])
            for part in chain.from_iterable(combinations(subset, k) for k in range(size + 1)):
                kept = logs[tuple(slice(None) if i in part else at[i] for i in range(n))]
                shape = [p.shape[i] if i in part else 1 for i in subset]
                total = total + (-1) ** (size - len(part)) * np.reshape(kept, shape)
            if np.abs(total).max() > tol:
                names = tuple(table.names[i] for i in subset)
                factors.append(NamedFactor("".join(map(str, names)), names, np.exp(total)))
    return MarkovNetwork(
        {f.name: (f.variables, f.table) for f in factors} or [((table.names[0],), np.ones(p.shape[0]))], table.states
    )
