"""Whether a fit is the one that a checkpoint was written by: its class, its parameters, its data."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from novum import __version__
from novum.base.checkpoint.data import data_digest, rows_digest
from novum.exceptions import ParameterError
from novum.fold.blocks import Source
from novum.fold.recorded import recorded
from novum.runtime.journal import Journal, recording
from novum.runtime.journal.values import digest

__all__ = ["facts_of", "recorded_fit", "recorded_rows", "same_computation"]

LONGEST = 60  # of a value in a message


def shown(value: Any) -> str:
    """Return a value as a message shows it, and a word for what the message leaves out."""
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def parameter_digest(value: Any) -> str:
    """Return the digest of a parameter; an estimator's is that of its parameters, a generator's that of its type."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        given = value.get_params(deep=False)
        return digest([type(value).__qualname__, {name: parameter_digest(one) for name, one in given.items()}])
    if isinstance(value, list | tuple):
        return digest([parameter_digest(one) for one in value])
    code = getattr(value, "__code__", None)
    if code is not None:
        plain = [one for one in code.co_consts if isinstance(one, str | bytes | int | float | tuple | None)]
        return digest([value.__qualname__, code.co_code, repr(plain), code.co_names])
    return data_digest(value)


def facts_of(parameters: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Return what `same_computation` compares of parameters."""
    return {f"parameter {name}": (shown(value), parameter_digest(value)) for name, value in parameters.items()}


def same_computation(journal: Journal, what: str, facts: dict[str, tuple[str, str]]) -> None:
    """Raise unless the computation here is the one that was written down; `facts`: name -> what is shown, digest."""
    key, here = journal.key("of"), {name: list(pair) for name, pair in facts.items()}
    there, before = journal.find(key, "")
    if not there:
        journal.keep(key, "", here)
        return
    for name in sorted({*before, *here}):
        old, new = before.get(name, ["nothing", ""]), here.get(name, ["nothing", ""])
        if old[1] != new[1]:
            seen = "" if old[0] == new[0] else f" {old[0]} there and {new[0]} here"
            raise ParameterError(
                f"{what}: {journal.file.path} was written by another computation: {name} differs{seen and ':'}{seen}. Give what was"
                " given then, name another file, or remove this one to begin anew."
            )


@contextmanager
def recorded_fit(journal: Journal, estimator: Any, method: str, given: dict[str, Any]) -> Iterator[None]:
    """Let the steps made meanwhile be those of one fit, after a look whether the file knows another one here."""
    what, outermost = f"{type(estimator).__name__}.{method}", not journal.scopes
    with journal.inside(journal.key(what)):
        facts = facts_of(estimator.get_params(deep=False))
        facts["the version of novum"] = (__version__, __version__)
        for name, value in given.items() if outermost else ():  # what a fit makes of its data is the same if these are
            facts[name] = (shape_of(value), data_digest(value))
        same_computation(journal, what, facts)
        yield


def recorded_rows(estimator: Any, source: Source) -> Source:
    """Return rows of a home whose passes are written down, after a pass that looks whether they are those of the checkpoint."""
    journal = recording()
    if journal is None:
        return source
    shown = f"{source.n_features} features"
    same_computation(journal, type(estimator).__name__, {"what the rows hold": (shown, rows_digest(source))})
    return recorded(source)


def shape_of(value: Any) -> str:
    """Return what a message says of data."""
    shape: Any = getattr(value, "shape", None)
    plain = shape is not None and all(isinstance(one, int | np.integer) for one in shape)
    return f"{type(value).__name__} of shape {tuple(map(int, shape))}" if plain else type(value).__name__
