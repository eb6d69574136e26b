"""What a network says about rows of data and about variables of both kinds: most probable values, interventions, marginals."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from novum.engines.factors.plan import MEMORY_LIMIT, TooLarge
from novum.engines.factors.states import coded_columns, columns_of
from novum.exceptions import DataError, ParameterError
from novum.graphical.inference.evidence import Evidence, evidence_text, known_variables, state_index
from novum.graphical.inference.evidence_patterns import by_pattern
from novum.graphical.inference.noisy_or_maximum import noisy_or_maximum, problem_of
from novum.graphical.inference.queries import Queries, too_large
from novum.graphical.inference.result import Marginals
from novum.graphical.linear_gaussian.nodes import LinearGaussian
from novum.graphical.networks.noisy_or_chain import FEW_CAUSES
from novum.runtime.checks import check_number

__all__ = ["RowQueries", "fixed_node"]


def fixed_node(network: Any, owner: str, variable: Any, value: Any) -> Any:
    """Return the node of a variable that was set: a table with one certain state, or a constant."""
    if variable in network.states:
        at = state_index(owner, str(variable), variable, value, network.states)
        return np.eye(len(network.states[variable]))[at]
    return LinearGaussian(check_number(owner, str(variable), value), variance=0.0)


class RowQueries(Queries):
    """Methods of a Bayesian network on top of its queries."""

    def map_rows(self, variables: Any, data: Any) -> Any:
        """Return the most probable states of `variables` together for every row of data, as a pandas frame.

        Parameters
        ----------
        variables : name, sequence of names or None
            None: all variables that have no column in the data.
        data : frame, mapping of variable to column, or array of rows
            Cells that are missing are summed out. Columns of `variables` are not read.

        Examples
        --------
        >>> from novum.datasets import load_fuel_gauge
        >>> load_fuel_gauge().map_rows("fuel", {"gauge": ["empty", "full"], "battery": ["flat", "charged"]})
           fuel
        0  full
        1  full
        """
        import pandas as pd

        network: Any = self
        owner = self._owner("map_rows")
        network._filled("map_rows")
        if len(network.states) < len(network.dag):
            raise ParameterError(f"{owner}: the network has real variables; ask query(...) row by row.")
        columns = columns_of(owner, data, network.nodes)
        names = (
            tuple(v for v in self.states if v not in columns)
            if variables is None
            else known_variables(owner, "variables", variables, self.states)
        )
        if not names:
            raise ParameterError(f"{owner}: every variable has a column; name those to find by variables=.")
        n = len(next(iter(columns.values()))) if columns else 0
        found, codes = coded_columns(owner, columns, {v: s for v, s in self.states.items() if v not in names})
        rows = np.ascontiguousarray(codes.T) if found else np.empty((n, 0), np.int32)
        place = self._place()
        numbers = np.array([place[v] for v in found], dtype=np.int64)
        best = np.empty((n, len(names)), dtype=np.int32)
        for part, mask in by_pattern(rows) if n else ():
            cells = np.ascontiguousarray(rows[part][:, mask])
            chosen = [place[v] for v in names]
            try:
                best[part], log = self._engine().maximum(numbers[mask].tolist(), cells, chosen)
            except TooLarge as refused:
                each = [
                    self._maximum_otherwise(
                        Evidence(dict(zip(numbers[mask].tolist(), map(int, row), strict=True)), {}),
                        chosen,
                        MEMORY_LIMIT,
                    )
                    for row in cells
                ]
                if any(one is None for one in each):
                    raise too_large(owner, refused, True) from None
                best[part], log = np.concatenate([one[0] for one in each]), np.concatenate([one[1] for one in each])
            if (log == -np.inf).any():
                raise DataError(
                    f"{owner}: row {int(part[int(np.argmax(log == -np.inf))])} of the data has probability zero."
                )
        index = data.index if isinstance(data, pd.DataFrame) else None
        frame = pd.DataFrame(
            {i: pd.Categorical.from_codes(best[:, i], pd.Index(self.states[v])) for i, v in enumerate(names)},
            index=index,
        )
        frame.columns = pd.Index(list(names), tupleize_cols=False)
        return frame

    def _maximum_otherwise(self, seen: Evidence, chosen: list[int], limit: float) -> Any:
        """Return the most probable values by the joint posterior of few variables, or by branch and bound over noisy-or nodes."""
        found = super()._maximum_otherwise(seen, chosen, limit)
        problem = problem_of(self, FEW_CAUSES, seen, chosen, limit) if found is None else None
        best = noisy_or_maximum(problem) if problem is not None else None
        if best is None:
            return found
        return best[0][None, chosen], np.array([best[1]])

    def marginals(
        self, evidence: Any = None, variables: Any = None, *, memory_limit: float = MEMORY_LIMIT
    ) -> Marginals:
        network: Any = self
        network._filled("marginals")
        if len(self.states) == len(network.dag):
            return super().marginals(evidence, variables, memory_limit=memory_limit)
        owner = self._owner("marginals")
        given = evidence if isinstance(evidence, Mapping) else {}
        names = (
            tuple(v for v in network.nodes if v not in given and not network.is_constant(v))
            if variables is None
            else known_variables(owner, "variables", variables, network.parents)
        )
        found = {v: network.query(v, evidence, memory_limit=memory_limit) for v in names}
        log = next((one.log_evidence for one in found.values()), 0.0)
        tables = {v: one.p for v, one in found.items() if v in self.states}
        return Marginals(
            tables, self.states, evidence_text(evidence), log, {v: q for v, q in found.items() if v not in tables}
        )

    marginals.__doc__ = Queries.marginals.__doc__
