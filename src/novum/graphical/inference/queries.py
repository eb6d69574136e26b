r"""Queries that every discrete model answers: a posterior, all marginals, the most probable values, and their cost.

P(t | e) = P(t, e) / P(e)                                                                                      (1)
x* = argmax_t P(t | e), the other variables summed out                                                         (2)
"""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.engines.factors.plan import MEMORY_LIMIT, Cost, Engine, TooLarge, in_bytes
from novum.exceptions import DataError, ParameterError
from novum.graphical.inference.ancestral import likelihood_weighting, rejection
from novum.graphical.inference.evidence import Evidence, evidence_text, read_evidence, read_query
from novum.graphical.inference.gibbs import gibbs
from novum.graphical.inference.loopy import loopy_bp
from novum.graphical.inference.mean_field import mean_field
from novum.graphical.inference.result import Marginals, MostProbable, Posterior
from novum.runtime.checks import check_choice, check_number

__all__ = ["Queries"]

EXACT = ("auto", "variable_elimination", "junction_tree", "sum_product", "enumeration")
APPROXIMATE: dict[str, Callable[..., Posterior]] = {
    "loopy_bp": loopy_bp,
    "mean_field": mean_field,
    "likelihood_weighting": likelihood_weighting,
    "gibbs": gibbs,
    "rejection": rejection,
}
METHODS = (*EXACT, *APPROXIMATE)
ENUMERABLE = 1 << 24  # cells of a joint table that enumeration writes down


def impossible(owner: str, given: str) -> DataError:
    return DataError(
        f"{owner}: the evidence {given} has probability zero; no posterior exists. Take back part of it, or use soft evidence."
    )


def too_large(owner: str, refused: TooLarge, directed: bool) -> MemoryError:
    methods = [name for name in APPROXIMATE if directed or name not in ("likelihood_weighting", "rejection")]
    where = "" if owner.endswith(".query") else "by query(variable, evidence, ...), one variable at a time: "
    return MemoryError(
        f"{owner}: exact inference needs {in_bytes(refused.cost.bytes)} (largest clique: {refused.cost.treewidth + 1} variables, "
        f"{refused.cost.largest_clique:.3g} cells), more than memory_limit={in_bytes(refused.limit)}. Observe more variables, "
        f"raise memory_limit=, or ask for an approximation: {where}method={', '.join(map(repr, methods))}."
    )


def unknown_option(run: Callable[..., Any], options: dict[str, Any]) -> str | None:
    known = signature(run).parameters
    return next((name for name in options if name not in known), None)


class Queries:
    """What a model needs: `states` (variable -> states, in the order of the engine), and `_engine()`."""

    states: dict[Any, tuple[Any, ...]]

    def _engine(self) -> Engine:
        raise NotImplementedError

    def _owner(self, method: str) -> str:
        return f"{type(self).__name__}.{method}"

    def _place(self) -> dict[Any, int]:
        return {variable: i for i, variable in enumerate(self.states)}

    def _states_only(self, owner: str, evidence: Any, variables: Any) -> None:
        """Raise where a variable is named that has no states."""

    def _queried(self, owner: str, variables: Any, evidence: Any, seen: Any) -> tuple[Any, ...]:
        """Return the variables in question: those named, or all that are not observed."""
        if variables is None:
            place = self._place()
            return tuple(name for name in self.states if place[name] not in seen.hard)
        return read_query(owner, variables, evidence, self.states)[0]

    def query(
        self,
        variables: Any,
        evidence: Any = None,
        method: str = "auto",
        *,
        memory_limit: float = MEMORY_LIMIT,
        **options: Any,
    ) -> Posterior:
        """Return (1), the posterior of one variable, or the joint posterior of several.

        Parameters
        ----------
        variables : name or sequence of names
        evidence : mapping of variable to state, or to a likelihood of its states (soft evidence), optional
        method : str, default="auto"
            Exact: "auto" and "variable_elimination" (only what bears on the answer is computed), "junction_tree",
            "sum_product" (messages; the factor graph must be a tree), "enumeration" (the definition, for small models).
            Approximate, with `options` of their own: "loopy_bp" (max_iter, tol, damping, schedule), "mean_field" (max_iter,
            tol, n_init, random_state), "likelihood_weighting" and "rejection" (n_samples, random_state), "gibbs"
            (n_samples, n_chains, burn_in, random_state).
        memory_limit : float, default=2 GiB
            Bytes that exact inference may take; a query that needs more is refused before anything is allocated.
        """
        owner = self._owner("query")
        if method not in METHODS:
            check_choice(owner, "method", method, METHODS)
        names, seen = read_query(owner, variables, evidence, self.states)
        given = evidence_text(evidence)
        if method in APPROXIMATE:
            try:
                return APPROXIMATE[method](self, owner, names, seen, given, **options)
            except TypeError as error:
                wrong = unknown_option(APPROXIMATE[method], options)
                raise (
                    ParameterError(f"{owner}({wrong}=...): method={method!r} has no such option.") if wrong else error
                ) from None
        if options:
            raise ParameterError(f"{owner}({next(iter(options))}=...): method={method!r} has no such option.")
        if method == "sum_product":
            return self._by_messages(owner, names, evidence, given)
        limit = memory_limit if memory_limit is MEMORY_LIMIT else check_number(owner, "memory_limit", memory_limit, 0)
        place = self._place()
        target = tuple(place[name] for name in names)
        label = "exact"
        if method == "enumeration":
            p, log = self._enumerated(owner, target, seen)
            label = "exact (enumeration)"
        else:
            try:
                (table,), logs = self._engine().marginals(seen.observed, seen.row, [target], seen.soft, limit)
            except TooLarge as refused:
                raise too_large(owner, refused, hasattr(self, "dag")) from None
            p, log = table[0], logs[0]
            if len(self.states) > len(target) + len(seen.hard):  # something was summed out
                label = f"exact ({'junction tree' if method == 'junction_tree' else 'variable elimination'})"
        if log == -np.inf:
            raise impossible(owner, given)
        return Posterior(p, names, self.states, given, self._log_probability(log), label)

    def _log_probability(self, log: float) -> float:
        """Return log P(evidence) from the log of the sum of the product."""
        return float(log)

    def _by_messages(self, owner: str, names: tuple[Any, ...], evidence: Any, given: str) -> Posterior:
        from novum.graphical.networks.factor_graph import FactorGraph  # which is itself a model with queries

        graph: Any = self if isinstance(self, FactorGraph) else self.to_factor_graph()  # type: ignore[attr-defined]
        if len(names) > 1:
            raise ParameterError(f"{owner}(method='sum_product'): messages give one variable at a time; name one.")
        found = graph.sum_product(evidence)
        answer: Posterior = found.marginals[names[0]]
        answer.log_evidence = self._log_probability(found.log_partition)
        return answer

    def _enumerated(self, owner: str, target: tuple[int, ...], seen: Evidence) -> tuple[NDArray[np.float64], float]:
        engine = self._engine()
        cells = float(np.prod([float(c) for v, c in enumerate(engine.cards) if v not in seen.hard]))
        if cells > ENUMERABLE:
            raise MemoryError(
                f"{owner}(method='enumeration'): the joint table has {cells:.3g} cells; use method='auto'."
            )
        joint = np.ones([1 if v in seen.hard else c for v, c in enumerate(engine.cards)])
        for scope, table, _ in engine.factors:
            at = tuple(seen.hard.get(v, slice(None)) for v in scope)
            kept = [v for v in scope if v not in seen.hard]
            order = sorted(range(len(kept)), key=kept.__getitem__)
            shape = [1] * joint.ndim
            for v in kept:
                shape[v] = engine.cards[v]
            joint = joint * np.transpose(table[at], order).reshape(shape)
        for v, weight in seen.soft.items():
            shape = [1] * joint.ndim
            shape[v] = len(weight)
            joint = joint * weight.reshape(shape)
        summed = joint.sum(axis=tuple(v for v in range(joint.ndim) if v not in target))
        order = [sorted(target).index(v) for v in target]
        total = float(summed.sum())
        return np.transpose(summed, order) / total if total > 0 else summed, float(
            np.log(total)
        ) if total > 0 else -np.inf

    def marginals(
        self, evidence: Any = None, variables: Any = None, *, memory_limit: float = MEMORY_LIMIT
    ) -> Marginals:
        """Return the posterior of every variable that is not observed (or of those named) from one calibration."""
        owner = self._owner("marginals")
        self._states_only(owner, evidence, variables)
        seen, place = read_evidence(owner, evidence, self.states), self._place()
        names = self._queried(owner, variables, evidence, seen)
        try:
            tables, logs = self._engine().marginals(
                seen.observed,
                seen.row,
                [(place[name],) for name in names],
                seen.soft,
                check_number(owner, "memory_limit", memory_limit, 0),
            )
        except TooLarge as refused:
            raise too_large(owner, refused, hasattr(self, "dag")) from None
        given = evidence_text(evidence)
        if logs[0] == -np.inf:
            raise impossible(owner, given)
        log = self._log_probability(logs[0])
        return Marginals(dict(zip(names, (table[0] for table in tables), strict=True)), self.states, given, log)

    def map_query(
        self, variables: Any = None, evidence: Any = None, *, memory_limit: float = MEMORY_LIMIT
    ) -> MostProbable:
        """Return (2), the most probable values of `variables` together; of all that are not observed, by default.

        They need not be the most probable values of the variables one by one. Ties go to the state that comes first.
        """
        owner = self._owner("map_query")
        self._states_only(owner, evidence, variables)
        seen, place = read_evidence(owner, evidence, self.states), self._place()
        names = self._queried(owner, variables, evidence, seen)
        limit = check_number(owner, "memory_limit", memory_limit, 0)
        chosen = [place[n] for n in names]
        try:
            try:
                best, logs = self._engine().maximum(seen.observed, seen.row, chosen, seen.soft, limit)
            except TooLarge:
                other = self._maximum_otherwise(seen, chosen, limit)
                if other is None:
                    raise
                best, logs = other
            _, total = self._engine().marginals(seen.observed, seen.row, [], seen.soft, limit)
        except TooLarge as refused:
            raise too_large(owner, refused, hasattr(self, "dag")) from None
        given = evidence_text(evidence)
        if logs[0] == -np.inf:
            raise impossible(owner, given)
        values = {name: self.states[name][i] for name, i in zip(names, best[0], strict=True)}
        log = self._log_probability(logs[0])
        return MostProbable(values, float(np.exp(logs[0] - total[0])), float(np.exp(log)), log, given)

    def _maximum_otherwise(
        self, seen: Evidence, chosen: list[int], limit: float
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]] | None:
        """Return (2) where summing before maximising is too large: from the whole joint posterior of a few variables."""
        cards = [len(states) for states in self.states.values()]
        shape = tuple(cards[v] for v in chosen)
        if float(np.prod([float(c) for c in shape])) > ENUMERABLE:
            return None
        try:
            (table,), logs = self._engine().marginals(seen.observed, seen.row, [chosen], seen.soft, limit)
        except TooLarge:
            return None
        at = np.unravel_index(int(np.argmax(table[0])), shape)
        with np.errstate(divide="ignore"):
            return np.array([at], dtype=np.int32), logs + np.log(table[0][at])

    def cost(self, variables: Any = None, evidence: Any = None) -> Cost:
        """Return treewidth, multiplications and bytes of a query (of all marginals, by default) without running it."""
        owner = self._owner("cost")
        self._states_only(owner, evidence, variables)
        place = self._place()
        if variables is None:
            seen = read_evidence(owner, evidence, self.states)
            targets: list[tuple[int, ...]] = [(i,) for i in range(len(self.states)) if i not in seen.hard]
        else:
            names, seen = read_query(owner, variables, evidence, self.states)
            targets = [tuple(place[name] for name in names)]
        return self._engine().cost(seen.observed, targets, tuple(seen.soft))

    def log_evidence(self, evidence: Any, *, memory_limit: float = MEMORY_LIMIT) -> float:
        """Return log P(evidence); -inf where it is impossible."""
        owner = self._owner("log_evidence")
        seen = read_evidence(owner, evidence, self.states)
        try:
            _, logs = self._engine().marginals(
                seen.observed, seen.row, [], seen.soft, check_number(owner, "memory_limit", memory_limit, 0)
            )
        except TooLarge as refused:
            raise too_large(owner, refused, hasattr(self, "dag")) from None
        return float(logs[0]) if logs[0] == -np.inf else self._log_probability(logs[0])
