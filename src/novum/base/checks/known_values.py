"""Parameters against their domains, once for each value: a search fits a thousand times with the same few."""

from functools import cache
from typing import Any

from novum.base.domains import Domain, outside

__all__ = ["known_values"]

MISSING = object()


class KnownValues:
    """The domains of a class, with the plain values that were found inside them: those are not looked at again."""

    PLAIN = frozenset({int, float, bool, str, type(None)})  # equal and of one type: the same value
    MOST = 256  # values of one parameter that are remembered: more than a search tries

    def __init__(self, domains: dict[str, Domain]) -> None:
        self.parts = [(name, domain, set[tuple[type, Any]]()) for name, domain in domains.items()]

    def check(self, holder: Any) -> None:
        """Raise ParameterError for the first attribute of `holder` that lies outside its domain."""
        for name, domain, known in self.parts:
            value = getattr(holder, name, MISSING)
            if (kind := type(value)) in self.PLAIN:
                if (kind, value) in known:
                    continue
                if domain.contains(value):
                    if len(known) < self.MOST:
                        known.add((kind, value))
                    continue
            elif value is MISSING or domain.contains(value):
                continue
            raise outside(name, domain, value, type(holder).__name__)


@cache
def known_values(cls: Any) -> KnownValues:
    """Return the domains of the parameters of a class, made when it is first fitted."""
    return KnownValues(cls._domains)
