"""What a network file says: the same parts for every format."""

from typing import Any, NamedTuple

__all__ = ["NetworkContent"]


class NetworkContent(NamedTuple):
    """A network of tables, axes (parents in order, variable), and of real nodes, which have no states."""

    parents: dict[Any, tuple[Any, ...]]
    states: dict[Any, tuple[Any, ...]]
    tables: dict[Any, Any]
    name: str = ""
