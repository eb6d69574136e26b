"""`adjust` and `frontdoor`: the effect of a treatment, from a network or from data."""

from typing import Any

from novum.causal.doses import DoseEffect
from novum.causal.estimates import Effect, estimate_effect
from novum.causal.formulas import Intervention, adjusted_table, frontdoor_table, need_discrete
from novum.causal.graphs import backdoor_sets, dag_of, is_backdoor_set, is_frontdoor_set, node_set
from novum.engines.factors.states import columns_of
from novum.exceptions import ParameterError
from novum.graphical import BayesianNetwork
from novum.graphical.graphs.dag import DAG
from novum.runtime.checks import check_level
from novum.runtime.typing import Arcs, Columns, Label

__all__ = ["adjust", "frontdoor"]


def adjust(
    source: BayesianNetwork | Columns,
    treatment: Label,
    outcome: Label,
    adjustment: Any = None,
    *,
    graph: DAG | BayesianNetwork | Arcs | None = None,
    method: str = "adjustment",
    outcome_state: Label | None = None,
    level: float = 0.95,
    trim: float | None = None,
) -> Intervention | Effect | DoseEffect:
    """Return the effect of a treatment, adjusted for a set of variables.

    Parameters
    ----------
    source : BayesianNetwork, or frame or mapping of columns
        A network gives p(outcome | do(treatment)) exactly; data give estimates with intervals.
    treatment, outcome : names
        With data, a treatment that is a number with more than twenty values is a dose: the result then has the slope of the
        outcome's mean per unit and the mean at several doses.
    adjustment : names, optional
        The variables to adjust for. By default the smallest set that satisfies the back-door criterion, where a graph is known.
    graph : DAG, network or arcs, optional
        With data: the causal graph; the set is checked against it.
    method : {"adjustment", "ipw", "doubly_robust"}, default="adjustment"
        With data: by means within the adjustment set, by inverse propensity weights (not of a dose), or by both.
    outcome_state : optional
        With data: the state whose probability is the outcome; the last one of a categorical column, by default.
    level : float, default=0.95
        Of the intervals.
    trim : float, optional
        With data: leave out the rows in which a state of the treatment has a propensity below this; the effect is then that on
        the others. Without it rows that lack overlap are warned of, and refused where they are a quarter.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.causal import adjust
    >>> from novum.graphical import BayesianNetwork
    >>> network = BayesianNetwork(
    ...     {"h": [], "x": ["h"], "y": ["h", "x"]},
    ...     {"h": [0.5, 0.5], "x": [[0.8, 0.2], [0.3, 0.7]], "y": [[[0.9, 0.1], [0.6, 0.4]], [[0.5, 0.5], [0.2, 0.8]]]},
    ... )
    >>> adjust(network, "x", "y")
    p(y | do(x))        adjusted for h
      do(x=no)  no .7000   yes .3000
      do(x=yes)  no .4000   yes .6000
    >>> network.query("y", {"x": "yes"})["yes"].round(4).item()  # seeing is not doing
    0.7111
    """
    known = source if isinstance(source, BayesianNetwork) else graph
    if known is not None:
        dag = dag_of("adjust", known)
        if adjustment is None:
            here = (
                None
                if isinstance(source, BayesianNetwork)
                else [v for v in dag if v in columns_of("adjust", source, ())]
            )
            sets = backdoor_sets(dag, treatment, outcome, here)
            if not sets:
                raise ParameterError(
                    f"adjust: no set of variables satisfies the back-door criterion for {treatment} and {outcome}."
                )
            chosen = sets[0]
        else:
            chosen = node_set("adjust", dag, "adjustment", adjustment)
            check = is_backdoor_set(dag, treatment, outcome, chosen)
            if not check:
                raise ParameterError(f"adjust(adjustment={adjustment!r}): not a back-door set: {check.reason}.")
    elif adjustment is None:
        raise ParameterError(
            "adjust: name the variables to adjust for by adjustment=, or give the causal graph by graph=."
        )
    else:
        chosen = (adjustment,) if isinstance(adjustment, str) else tuple(adjustment)
    if isinstance(source, BayesianNetwork):
        need_discrete("adjust", source, (treatment, outcome, *chosen))
        return adjusted_table(source, treatment, outcome, chosen)
    return estimate_effect(
        "adjust",
        data=source,
        treatment=treatment,
        outcome=outcome,
        adjustment=chosen,
        method=method,
        outcome_state=outcome_state,
        level=level,
        trim=trim,
    )


def frontdoor(
    source: BayesianNetwork | Columns,
    treatment: Label,
    outcome: Label,
    mediators: Any,
    *,
    graph: DAG | BayesianNetwork | Arcs | None = None,
    level: float = 0.95,
) -> Intervention:
    """Return p(outcome | do(treatment)) through mediators, by the front-door formula; confounders may be hidden.

    Parameters
    ----------
    source : BayesianNetwork, or frame or mapping of categorical columns
        From data the formula is applied to relative frequencies, with intervals by the delta method.
    treatment, outcome : names
    mediators : names
    graph : DAG, network or arcs, optional
        With data: the causal graph; the mediators are checked against it.
    level : float, default=0.95
        Of the intervals.
    """
    rows = 0
    level = check_level("frontdoor", level)
    through = (mediators,) if isinstance(mediators, str) else tuple(mediators)
    known = source if isinstance(source, BayesianNetwork) else graph
    if known is not None:
        check = is_frontdoor_set(known, treatment, outcome, through)
        if not check:
            raise ParameterError(f"frontdoor(mediators={mediators!r}): not a front-door set: {check.reason}.")
    if not isinstance(source, BayesianNetwork):
        names = (treatment, outcome, *through)
        chain = {name: tuple(names[:i]) for i, name in enumerate(names)}  # the full joint of the columns
        columns = {name: column for name, column in columns_of("frontdoor", source, ()).items() if name in names}
        source = BayesianNetwork(chain).fit(columns)
        rows = source.report_.n_rows
    need_discrete("frontdoor", source, (treatment, outcome, *through))
    return frontdoor_table(source, treatment, outcome, through, rows, level)
