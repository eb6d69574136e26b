"""Observations as vectors: boxes flat, numbers as one-hot, parts one after the other, as Gymnasium flattens them.

A space is described by plain values, so that an agent can be saved and act where Gymnasium is not installed:

    {"kind": "box", "shape": [4], "text": "Box(...)"}      {"kind": "discrete", "n": 6, "start": 0, "text": ...}
    {"kind": "counts", "n": [3, 2], "start": [0, 0], ...}     {"kind": "parts", "keys": [...], "parts": [...], ...}

Other spaces stay as they are, `{"kind": "space", "space": ...}`; an agent that learned in one acts, but is not saved.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError

__all__ = ["described_space", "encoded_rows", "encoder_of"]

Row = NDArray[np.float32]
Encoder = Callable[[Any], Row]


def described_space(space: Any) -> dict[str, Any]:
    """Return the description of a space of observations."""
    from gymnasium import spaces

    text = {"text": str(space)[:200]}
    if isinstance(space, spaces.Box | spaces.MultiBinary):
        return {"kind": "box", "shape": [int(length) for length in space.shape], **text}
    if isinstance(space, spaces.Discrete):
        return {"kind": "discrete", "n": int(space.n), "start": int(space.start), **text}
    if isinstance(space, spaces.MultiDiscrete):
        counts, start = np.ravel(space.nvec).tolist(), np.ravel(space.start).tolist()
        return {"kind": "counts", "shape": list(space.shape), "n": counts, "start": start, **text}
    if isinstance(space, spaces.Dict | spaces.Tuple):
        keys = list(space.keys()) if isinstance(space, spaces.Dict) else list(range(len(space)))
        return {"kind": "parts", "keys": keys, "parts": [described_space(space[key]) for key in keys], **text}
    return {"kind": "space", "space": space, **text}


def shape_of(description: dict[str, Any]) -> tuple[int, ...] | None:
    """Return the shape of one observation, None where it is no array."""
    if description["kind"] == "space":
        return getattr(description["space"], "shape", None)
    return None if description["kind"] == "parts" else tuple(description.get("shape", ()))


def encoder_of(description: dict[str, Any]) -> tuple[int, Encoder]:
    """Return the length of a vector and the function that makes one of an observation."""
    kind = description["kind"]
    if kind == "box":
        return int(np.prod(description["shape"])), lambda seen: np.asarray(seen, dtype=np.float32).ravel()
    if kind == "discrete":
        eye, start = np.eye(description["n"], dtype=np.float32), description["start"]
        return len(eye), lambda seen: np.asarray(eye[int(seen) - start])
    if kind == "counts":
        first = np.cumsum([0, *description["n"]])
        places = first[:-1] - np.array(description["start"])
        size = int(first[-1])

        def one_hot(seen: Any) -> Row:
            row = np.zeros(size, np.float32)
            row[places + np.ravel(seen).astype(np.int64)] = 1.0
            return row

        return size, one_hot
    if kind == "parts":
        inner = [(key, *encoder_of(part)) for key, part in zip(description["keys"], description["parts"])]
        whole = sum(length for _, length, _ in inner)
        return whole, lambda seen: np.concatenate([encode(seen[key]) for key, _, encode in inner])
    from gymnasium.spaces.utils import flatdim, flatten

    space = description["space"]
    return flatdim(space), lambda seen: np.asarray(flatten(space, seen), dtype=np.float32)


def encoded_rows(description: dict[str, Any], observation: Any, owner: str) -> tuple[Row, bool]:
    """Return an observation as one row, or a batch as rows, and whether it was a batch."""
    shape, (size, encode) = shape_of(description), encoder_of(description)
    try:
        given = observation if shape is None else np.asarray(observation)
        if shape is not None and given.shape == (len(given) if given.ndim else 0, *shape):
            return np.array([encode(one) for one in given], np.float32).reshape(-1, size), True
        if shape is None or given.shape == tuple(shape):
            return encode(observation)[None], False
    except (TypeError, ValueError, IndexError, KeyError):
        pass
    raise DataError(
        f"{owner}.predict: {str(observation)[:80]} is no observation of {description['text']}; give one, or a batch of them, "
        "one a row."
    )
