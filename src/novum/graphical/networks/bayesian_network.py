r"""Bayesian networks: a directed acyclic graph with a conditional distribution at every node.

p(x_1, ..., x_n) = prod_i p(x_i | Pa_i)                                                                        (1)
free parameters: sum_i (|x_i| - 1) prod_{u in Pa_i} |u|;  of the full joint: prod_i |x_i| - 1                    (2)
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.engines.factors.plan import MEMORY_LIMIT, Engine, Factor
from novum.engines.factors.states import coded_rows
from novum.exceptions import DataError, ParameterError
from novum.graphical.formats.content import NetworkContent
from novum.graphical.formats.files import read_parts, write_parts
from novum.graphical.formats.pgmpy import Exchanges, in_graph_order
from novum.graphical.graphs.dag import DAG, arrows
from novum.graphical.graphs.parents import read_parents
from novum.graphical.inference.ancestral import draw_states
from novum.graphical.inference.conditional_samples import draw_given
from novum.graphical.inference.evidence import check_known, evidence_text, known_variables, read_query
from novum.graphical.inference.evidence_patterns import posterior_rows
from novum.graphical.inference.queries import Queries
from novum.graphical.inference.result import ExplainingAway
from novum.graphical.linear_gaussian.nodes import LinearGaussian, hybrid_query
from novum.graphical.linear_gaussian.rows import draw_real, real_log_likelihood
from novum.graphical.networks.factor_graph import FactorGraph
from novum.graphical.networks.graph_queries import OnGraph
from novum.graphical.networks.lint import Findings, lint
from novum.graphical.networks.markov_network import MarkovNetwork
from novum.graphical.networks.node_input import node_of, states_of
from novum.graphical.networks.nodes import NoisyOr
from novum.graphical.networks.noisy_or_chain import FEW_CAUSES, one_by_one
from novum.graphical.networks.row_queries import RowQueries, fixed_node
from novum.graphical.parameter_learning.fit_methods import FitsTables
from novum.runtime.checks import check_choice, check_count, check_number
from novum.runtime.message_text import first_few, value_text
from novum.runtime.random import seed_of
from novum.runtime.typing import Arcs, Label, Labels, Rows, Seed

__all__ = ["BayesianNetwork"]


class BayesianNetwork(OnGraph, FitsTables, Exchanges, RowQueries):
    """A Bayesian network (1) of discrete and real variables.

    Parameters
    ----------
    graph : DAG, mapping of child to parents, iterable of arcs (parent, child), or networkx.DiGraph
    tables : mapping of variable to array or node, optional
        P(variable | parents) with an axis per parent, in the order of the graph, and a last axis for the variable; or a
        `NoisyOr`, or a `LinearGaussian` for a real variable; {"given": parents, "p": array} names the order of its parents.
        Without tables the network is a structure that `fit` fills.
    states : mapping of variable to states, optional
        By default ("no", "yes") for two states, else 0, 1, ...
    name : str, optional

    Attributes
    ----------
    dag : DAG
    states : dict of variable to tuple
    conditionals : dict of variable to node
        The conditional distributions.

    Examples
    --------
    >>> from novum.graphical import BayesianNetwork
    >>> network = BayesianNetwork(
    ...     [("rain", "wet")], {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]}, name="garden"
    ... )
    >>> network
    BayesianNetwork: rain -> wet; 2 variables, 3 free parameters (the full joint has 3)
    >>> network.query("rain", evidence={"wet": "yes"})
    P(rain | wet=yes)        no .3333   yes .6667        P(evidence) = .24, exact
    """

    def __init__(
        self,
        graph: DAG | Arcs,
        tables: Mapping[Any, Any] | None = None,
        states: Mapping[Any, Any] | None = None,
        name: str = "",
    ) -> None:
        owner = type(self).__name__
        self.dag = DAG(read_parents(owner, graph))
        self.name = str(name)
        tables, states = dict(tables or {}), dict(states or {})
        for given, what in ((tables, "tables"), (states, "states")):
            for variable in given:
                if variable not in self.dag:
                    raise ParameterError(
                        f"{owner}({what}=...): {variable!r} is no node of the graph; the nodes are {first_few(self.dag)}."
                    )
        lost = [variable for variable in self.dag if variable not in tables]
        if tables and lost:
            raise ParameterError(f"{owner}(tables=...): no table for {', '.join(map(str, lost[:10]))}.")
        tables = {v: in_graph_order(owner, v, given, self.dag.parents[v]) for v, given in tables.items()}
        self.states: dict[Any, tuple[Any, ...]] = {}
        for variable in self.dag:
            found = states_of(owner, variable, tables.get(variable), states.get(variable))
            if found is not None:
                self.states[variable] = found
        self.conditionals: dict[Any, Any] = {}
        self._counts: NDArray[np.float64] | None = None  # of the rows fitted so far
        for variable in self.dag.order if tables else ():
            self.conditionals[variable] = node_of(
                owner, variable, tables[variable], self.dag.parents[variable], self.states
            )
        self.conditionals = {
            variable: self.conditionals[variable] for variable in self.dag if variable in self.conditionals
        }

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "BayesianNetwork":
        """Return the network of a .bif, .xmlbif, .uai or .json file; .gz is unpacked."""
        parts = read_parts(f"{cls.__name__}.read", path)
        return cls(parts.parents, parts.tables, parts.states, parts.name)

    def write(self, path: str | PathLike[str]) -> None:
        """Write the network to a file; its ending chooses the format. Noisy-or nodes are written as tables."""
        self._filled("write")
        tables = self.tables | {v: node for v, node in self.conditionals.items() if v not in self.states}
        write_parts(self._owner("write"), path, NetworkContent(self.parents, self.states, tables, self.name))

    # ---------------------------------------------------------------------------------------------- what it holds

    @property
    def tables(self) -> dict[Any, NDArray[np.float64]]:
        """P(variable | parents), axes (parents in order, variable)."""
        return {variable: node.table() for variable, node in self.conditionals.items() if variable in self.states}

    @property
    def n_parameters(self) -> int:
        """The free parameters (2): sum_i (|x_i| - 1) prod_{u in Pa_i} |u|."""
        return sum(node.n_parameters for node in self.conditionals.values())

    @property
    def n_joint_parameters(self) -> int:
        """The free parameters that the full joint table would have (2): prod_i |x_i| - 1."""
        size = 1
        for states in self.states.values():
            size *= len(states)
        return size - 1

    def _filled(self, method: str) -> None:
        if len(self.conditionals) < len(self.dag.parents):
            raise ParameterError(
                f"{self._owner(method)}: the network has no tables yet; pass tables= or call fit(data)."
            )

    @cached_property
    def _compiled(self) -> Engine:
        place = {variable: i for i, variable in enumerate(self.states)}
        cards = [len(s) for s in self.states.values()]
        factors: list[Factor] = []
        for variable, node in self.conditionals.items():
            if variable not in self.states:
                continue
            scope = (*(place[p] for p in self.dag.parents[variable]), place[variable])
            if isinstance(node, NoisyOr) and len(scope) > FEW_CAUSES:
                factors += one_by_one(node, scope, cards)
            else:
                factors.append(Factor(scope, node.table(), place[variable]))
        return Engine(cards, factors)

    def _engine(self) -> Engine:
        self._filled("query")
        return self._compiled

    def do(self, values: Mapping[Any, Any]) -> "BayesianNetwork":
        """Return the network after an intervention: arrows into the variables are cut, and they take the given values.

        p(the rest | do(x)) is the product of the tables of the other variables (truncated factorisation).

        Examples
        --------
        >>> from novum.datasets import load_fuel_gauge
        >>> car = load_fuel_gauge()
        >>> car.do({"gauge": "empty"}).query("fuel")["empty"].round(4).item()  # turning the needle empties no tank
        0.1
        """
        owner = self._owner("do")
        self._filled("do")
        if not isinstance(values, Mapping):
            raise ParameterError(f"{owner}({value_text(values)}): pass a mapping of variable to state.")
        tables: dict[Any, Any] = dict(self.conditionals)
        for variable, value in values.items():
            tables[check_known(owner, "values", variable, self.parents)] = fixed_node(self, owner, variable, value)
        graph = {v: () if v in values else parents for v, parents in self.parents.items()}
        return type(self)(graph, tables, self.states, self.name)

    def lint(self, latent: Sequence[Any] = ()) -> Findings:
        """Return remarks on the network: impossible cells, unreachable states, arcs that say nothing, parts without a path.

        Parameters
        ----------
        latent : sequence of variables, optional
            Variables that are never observed.
        """
        return lint(self, latent)

    def joint_probability(self, values: Mapping[Any, Any]) -> float:
        """Return the product (1), prod_i p(x_i | Pa_i), for a state of every variable."""
        lost = [v for v in self.nodes if v not in values]
        if lost:
            raise ParameterError(f"{self._owner('joint_probability')}: no value of {', '.join(map(str, lost[:10]))}.")
        return float(np.exp(self.score_samples({v: [values[v]] for v in self.nodes})[0]))

    def explaining_away(
        self, cause: tuple[Any, Any], effect: Mapping[Any, Any], other: Mapping[Any, Any]
    ) -> ExplainingAway:
        """Return how the belief in a cause falls when another one is found for the same effect.

        Parameters
        ----------
        cause : (variable, state)
        effect, other : mapping of variable to state
            What is observed first, and the other cause that is found then.

        Examples
        --------
        >>> from novum.datasets import load_fuel_gauge
        >>> load_fuel_gauge().explaining_away(("fuel", "empty"), {"gauge": "empty"}, {"battery": "flat"})
        P(fuel=empty) .1000, given gauge=empty .2571, given also battery=flat .1111: explained away
        """
        variable, state = cause
        steps = [self.query(variable, given)[state] for given in (None, effect, {**effect, **other})]
        return ExplainingAway(f"{variable}={state}", evidence_text(effect), evidence_text(other), *map(float, steps))

    def to_factor_graph(self) -> FactorGraph:
        """Return the factor graph with a factor f_x(parents, x) for every variable x."""
        return FactorGraph(self._factors("to_factor_graph", "f"), self.states)

    def to_markov_network(self) -> MarkovNetwork:
        """Return the moral Markov network: the tables as potentials, parents of a child joined."""
        return MarkovNetwork(self._factors("to_markov_network", "psi"), self.states)

    def _factors(self, method: str, letter: str) -> dict[str, Any]:
        """Return the table of every variable over its parents and itself, by name."""
        self._filled(method)
        self._states_only(self._owner(method), None, self.nodes)
        return {f"{letter}_{v}": ((*self.parents[v], v), node.table()) for v, node in self.conditionals.items()}

    def _states_only(self, owner: str, evidence: Any, variables: Any) -> None:
        named = [
            *(evidence if isinstance(evidence, Mapping) else ()),
            *(variables if isinstance(variables, list | tuple) else (variables,)),
        ]
        real = [v for v in named if isinstance(v, Hashable) and v in self.conditionals and v not in self.states]
        if real:
            raise ParameterError(
                f"{owner}: {real[0]!r} is a real variable; query(...) answers with those, one question at a time."
            )

    def query(
        self, variables: Labels, evidence: Mapping[Any, Any] | None = None, method: str = "auto", **options: Any
    ) -> Any:
        self._filled("query")
        if len(self.states) == len(self.dag.parents):
            return super().query(variables, evidence, method, **options)
        owner = self._owner("query")
        names = known_variables(owner, "variables", variables, self.parents)
        if not names or all(v in self.states for v in (*names, *(evidence if isinstance(evidence, Mapping) else ()))):
            return super().query(variables, evidence, method, **options)
        check_choice(owner, "method", method, ("auto",))
        limit = options.pop("memory_limit", MEMORY_LIMIT)
        if options:
            raise ParameterError(
                f"{owner}({next(iter(options))}=...): queries with real variables have no such option."
            )
        return hybrid_query(self, owner, names, evidence, check_number(owner, "memory_limit", limit, 0))

    query.__doc__ = Queries.query.__doc__

    # ---------------------------------------------------------------------------------------------- rows of data

    def sample(self, n_samples: int = 1, random_state: Seed = None, evidence: Mapping[Any, Any] | None = None) -> Any:
        """Return rows drawn from the network as a pandas frame; given evidence, from the exact posterior. Discrete columns are
        categorical.
        """
        import pandas as pd

        self._filled("sample")
        n, seed = check_count(self._owner("sample"), "n_samples", n_samples, 0), seed_of(random_state)
        if evidence:
            codes, columns = draw_given(self, self._owner("sample"), n, seed, evidence)
        else:
            codes, _ = draw_states(self, n, seed, {})
            columns = draw_real(self, codes, seed)
        for i, (v, s) in enumerate(self.states.items()):
            columns[v] = pd.Categorical.from_codes(codes[:, i], pd.Index(s))
        frame = pd.DataFrame({i: columns[v] for i, v in enumerate(self.nodes)})
        frame.columns = pd.Index(list(self.nodes), tupleize_cols=False)
        return frame

    def score_samples(self, X: Rows | Mapping[Any, Any]) -> NDArray[np.float64]:
        """Return log p(row) of every row; cells that are missing, and variables without a column, are summed out."""
        owner = self._owner("score_samples")
        self._filled("score_samples")
        if len(self.states) < len(self.dag):
            return real_log_likelihood(self, owner, X)
        names, rows = coded_rows(owner, X, self.states)
        place = self._place()
        return posterior_rows(self._engine(), [place[name] for name in names], rows, [])[1]

    def query_rows(self, variables: Labels, data: Rows | Mapping[Any, Any] | Iterable[Any]) -> NDArray[np.float64]:
        """Return P(variables | row) for every row of data, an axis for the rows first.

        Cells that are missing are not observed. Rows are answered together, pattern by pattern.
        """
        owner = self._owner("query_rows")
        self._filled("query_rows")
        targets, _ = read_query(owner, variables, None, self.states)
        if len(self.states) < len(self.dag):
            raise ParameterError(f"{owner}: the network has real variables; ask query(...) row by row.")
        kept = {name: states for name, states in self.states.items() if name not in targets}
        names, rows = coded_rows(owner, data, kept)
        place = self._place()
        (table,), log = posterior_rows(
            self._engine(), [place[n] for n in names], rows, [tuple(place[t] for t in targets)]
        )
        if (log == -np.inf).any():
            raise DataError(f"{owner}: row {int(np.argmax(log == -np.inf))} of the data has probability zero.")
        return table

    def is_real(self, variable: Label) -> bool:
        """Return whether a variable is a real number rather than one of several states."""
        return isinstance(self.conditionals.get(variable), LinearGaussian)

    def is_constant(self, variable: Label) -> bool:
        """Return whether a variable is a real number that cannot vary, as after `do`."""
        return self.is_real(variable) and not self.conditionals[variable].variance.any()

    def __repr__(self) -> str:
        if not self.conditionals:
            return f"{type(self).__name__}: {arrows(self.dag)}; {len(self.dag)} variables, no tables"
        if len(self.states) < len(self.dag):
            real = len(self.dag) - len(self.states)
            size = f"{len(self.dag)} variables ({real} real), {self.n_parameters} free parameters"
            return f"{type(self).__name__}: {arrows(self.dag)}; {size}"
        joint = self.n_joint_parameters
        full = f"{joint:,}".replace(",", " ")
        if joint >= 10**6:
            full = f"{float(joint):.2g}" if joint < 10**300 else "over 1e300"
        size = f"{len(self.dag)} variables, {self.n_parameters} free parameters (the full joint has {full})"
        return f"{type(self).__name__}: {arrows(self.dag)}; {size}"
