"""The table of learning methods by the name that the command line takes, with their tags.

Tags: model-free or model-based; on-policy or off-policy; online (learns at every step) or offline (when an episode is
over); tabular or approximate; value-based, policy-based or actor-critic; prediction or control. A further agent registers
by a line here: its name, the module and class that hold it, and settings that differ from its defaults.
"""

from importlib import import_module
from typing import Any, NamedTuple

from novum.exceptions import ParameterError

__all__ = ["METHODS", "Method", "agent_class", "method_tags"]


class Method(NamedTuple):
    """Where a method is, and how the command line sets it up."""

    module: str
    name: str
    settings: dict[str, Any]


CONTROL = "novum.reinforcement.control"
METHODS: dict[str, Method] = {
    "q-learning": Method(f"{CONTROL}.agents", "QLearning", {}),
    "double-q-learning": Method(f"{CONTROL}.agents", "QLearning", {"double": True}),
    "dyna-q": Method(f"{CONTROL}.agents", "QLearning", {"planning_steps": 10}),
    "sarsa": Method(f"{CONTROL}.agents", "SARSA", {}),
    "sarsa-lambda": Method(f"{CONTROL}.agents", "SARSA", {"trace_decay": 0.8}),
    "expected-sarsa": Method(f"{CONTROL}.agents", "ExpectedSARSA", {}),
    "monte-carlo": Method(f"{CONTROL}.monte_carlo", "MonteCarloControl", {}),
    "adp": Method(f"{CONTROL}.adaptive", "ADP", {"exploration": 0.1}),
}


def agent_class(method: str) -> Any:
    """Return the class of a method, or say which there are."""
    if method not in METHODS:
        raise ParameterError(f"there is no method {method!r}; methods are {', '.join(METHODS)}.")
    return getattr(import_module(METHODS[method].module), METHODS[method].name)


def method_tags(method: Any) -> tuple[str, ...]:
    """Return the tags of a method, given by name or as an agent or its class.

    Examples
    --------
    >>> from novum.reinforcement.methods import method_tags
    >>> method_tags("q-learning")[:2]
    ('model-free', 'off-policy')
    """
    cls = agent_class(method) if isinstance(method, str) else method
    return tuple(cls._tags)
