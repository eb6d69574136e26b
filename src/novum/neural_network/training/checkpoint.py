"""A training in a file: a NumPy archive without pickle, written whole or not at all.

`about` is JSON: the class, the configuration of the network, the curve so far, counters. Everything else is arrays by name:
`module.*`, `best.*`, `average.*`, `optimizer.*`. Generators need no state: the order of rows and the noise of an epoch are drawn
from the seed and the number of the epoch.
"""

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from novum.exceptions import FileFormatError
from novum.runtime.writing import replace_file

__all__ = ["arrays_of", "optimizer_arrays", "read_checkpoint", "restore_optimizer", "under", "write_checkpoint"]

FORMAT = 1


def arrays_of(state: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return the tensors of a state as arrays of their own."""
    return {name: value.detach().cpu().numpy().copy() for name, value in state.items()}


def under(arrays: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Return the entries whose names begin with a prefix and a dot, without it."""
    return {name[len(prefix) + 1 :]: value for name, value in arrays.items() if name.startswith(f"{prefix}.")}


def optimizer_arrays(optimizer: Any) -> dict[str, np.ndarray]:
    """Return the moments of an optimiser as arrays, by the number of the parameter and their names."""
    import torch

    found = {}
    for number, moments in optimizer.state_dict()["state"].items():
        for name, value in moments.items():
            if value is not None:
                found[f"{number}.{name}"] = torch.as_tensor(value).detach().cpu().numpy().copy()
    return found


def restore_optimizer(optimizer: Any, arrays: dict[str, np.ndarray]) -> None:
    """Put moments back."""
    import torch

    state: dict[int, dict[str, Any]] = {}
    for name, value in arrays.items():
        number, _, key = name.partition(".")
        state.setdefault(int(number), {})[key] = torch.from_numpy(np.array(value))
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def write_checkpoint(path: Any, about: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Replace the file in one step."""
    buffer = io.BytesIO()
    held: dict[str, Any] = {"about": np.array(json.dumps({"format": FORMAT, **about})), **arrays}
    np.savez(buffer, **held)
    replace_file(Path(os.fspath(path)), buffer.getbuffer())


def read_checkpoint(path: Any, owner: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return what a file holds, or raise for one that is no checkpoint of this class."""
    try:
        with np.load(os.fspath(path), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(str(arrays.pop("about")))
        if about["format"] != FORMAT:
            raise ValueError(f"its format is {about['format']!r}")
    except FileNotFoundError:
        raise
    except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise FileFormatError(f"{path}: no checkpoint of a training, or a damaged one: {error}") from error
    if about.get("class") != owner:
        raise FileFormatError(f"{path}: a checkpoint of {about.get('class')}, not of {owner}.")
    return about, arrays
