"""Checkpoints of trainings: NumPy archives without pickle.

A checkpoint holds weights, moments of the optimizer, generator, environments (see `environments`), replay, and parameters as
JSON. A run that is resumed goes on exactly as if it had not stopped, on the same machine and device.
"""

import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from novum.exceptions import FileFormatError, ParameterError
from novum.optimize.schedule_base import Schedule
from novum.runtime.writing import replace_file

__all__ = ["read_checkpoint", "write_checkpoint"]

FORMAT = 2


def plain(value: Any) -> Any:
    """Return a parameter as JSON takes it."""
    return {"schedule": dict(vars(value))} if type(value) is Schedule else value


def parameter(value: Any) -> Any:
    """Return a parameter from JSON."""
    if isinstance(value, dict):
        return Schedule(**value["schedule"])
    return tuple(value) if isinstance(value, list) else value


def part_of(arrays: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Return the entries whose names begin so, without the beginning."""
    return {name[len(prefix) :]: value for name, value in arrays.items() if name.startswith(prefix)}


def write_checkpoint(agent: Any, training: Any, path: str | os.PathLike) -> Path:
    """Write the state of a training to one file."""
    parameters = {name: plain(value) for name, value in agent.get_params(deep=False).items()}
    if not isinstance(agent.random_state, int | type(None)):
        parameters["random_state"] = None
    about = {"format": FORMAT, "class": type(agent).__name__, "parameters": parameters}
    about |= {"seed": agent.seed_, "rng": training.rng.bit_generator.state}
    arrays = {f"environments.{k}": v for k, v in training.environments.state().items()}
    arrays |= {"record": np.array(training.record, dtype=float).reshape(-1, 3)}
    arrays |= {"total_steps": np.array(agent.total_steps_), "about": np.array(json.dumps(about))}
    arrays |= {"shape": np.array([agent.n_features_, agent.n_actions_])}
    arrays |= {f"agent.{k}": v for k, v in agent._state(training).items()}
    target, buffer = Path(path), io.BytesIO()
    np.savez(buffer, **arrays)
    replace_file(target, buffer.getbuffer())
    return target


def read_checkpoint(agent: Any, path: str | os.PathLike, environment: Any) -> Any:
    """Give an agent the parameters and counts of a checkpoint; return its training."""
    name = type(agent).__name__
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(str(arrays["about"]))
        fits = about["format"] == FORMAT and about["class"] == name
    except (ValueError, KeyError, OSError, EOFError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise FileFormatError(f"{path}: no checkpoint of an agent: {error}") from error
    if not fits:
        raise FileFormatError(f"{path}: a checkpoint of {about.get('class')}, not of {name}.")
    agent.set_params(**{key: parameter(value) for key, value in about["parameters"].items()})
    training = agent._begin(environment, int(about["seed"]))
    if arrays["shape"].tolist() != [agent.n_features_, agent.n_actions_]:
        raise ParameterError(f"{path}: the agent learned in another environment; shapes differ.")
    training.environments.restore(part_of(arrays, "environments."))
    training.rng.bit_generator.state = about["rng"]
    training.record = [(int(a), float(b), int(c)) for a, b, c in arrays["record"]]
    agent.total_steps_ = int(arrays["total_steps"])
    agent._restore(training, part_of(arrays, "agent."))
    return training
