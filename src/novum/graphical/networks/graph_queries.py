"""What a Bayesian network answers from its graph alone, and how it is drawn."""

from typing import TYPE_CHECKING, Any

from novum.graphical.graphs import separation
from novum.report.result import Result
from novum.runtime.message_text import first_few
from novum.runtime.typing import Axes

if TYPE_CHECKING:
    from novum.graphical.graphs.dag import DAG

__all__ = ["OnGraph"]


class OnGraph(Result):
    """Methods of a network that has a `dag` and `conditionals`."""

    dag: "DAG"
    states: dict[Any, tuple[Any, ...]]
    conditionals: dict[Any, Any]

    @property
    def parents(self) -> dict[Any, tuple[Any, ...]]:
        return self.dag.parents

    @property
    def nodes(self) -> tuple[Any, ...]:
        return self.dag.nodes

    @property
    def arcs(self) -> list[tuple[Any, Any]]:
        return self.dag.arcs

    def d_separated(self, a: Any, b: Any, given: Any = ()) -> separation.DSeparation:
        """Decide whether the graph makes two variables, or sets of them, independent given others; it says why.

        Examples
        --------
        >>> from novum.datasets import load_fuel_gauge
        >>> load_fuel_gauge().d_separated("fuel", "battery", given="gauge")
        False: open path fuel -> gauge <- battery (gauge is a collider and is observed)
        """
        return separation.d_separated(self.dag, a, b, given, f"{type(self).__name__}.d_separated")

    def markov_blanket(self, variable: Any) -> set[Any]:
        """Return parents, children and other parents of the children: given them the variable is independent of the rest."""
        return self.dag.markov_blanket(variable)

    def table_frame(self, variable: Any) -> Any:
        """Return P(variable | parents) as a pandas frame: a row per state, a column per combination of the parents' states.

        Examples
        --------
        >>> from novum.datasets import load_fuel_gauge
        >>> load_fuel_gauge().table_frame("gauge")  # doctest: +ELLIPSIS
        battery  flat      charged...
        fuel    empty full   empty full
        gauge...
        empty     0.9  0.8     0.8  0.2
        full      0.1  0.2     0.2  0.8
        """
        from novum.graphical.plots.tables import table_frame

        return table_frame(self, variable)

    def plot_table(self, variable: Any, ax: Axes | None = None, symbol: str | None = None) -> Any:
        """Draw P(variable | parents) with nested headers; columns sum to one.

        Parameters
        ----------
        variable : variable
        ax : matplotlib axes, optional
        symbol : str, optional
            Write names of parameters, such as theta, in place of numbers.
        """
        from novum.graphical.plots.tables import draw_table

        return draw_table(self, variable, ax, symbol)

    def _result_columns(self) -> dict[str, Any]:
        states = [first_few(self.states[v]) if v in self.states else "real" for v in self.dag]
        return {
            "variable": list(self.dag),
            "parents": [first_few(self.dag.parents[v]) for v in self.dag],
            "states": states,
        }

    def plot(self, ax: Axes | None = None, evidence: Any = None, tables: Any = False) -> Any:
        """Draw the network in layers, arrows pointing down.

        Parameters
        ----------
        ax : matplotlib axes, optional
        evidence : mapping of variable to state, or variables, optional
            Observed: filled, with the state below the name.
        tables : bool or variables, default=False
            Write the conditional tables beside the nodes: all, or those named.
        """
        from novum.graphical.plots.graphs import draw_network

        return draw_network(self, ax, {} if evidence is None else evidence, tables)
