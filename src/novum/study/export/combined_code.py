"""The part of a program that makes one answer of what several models say, and brings probabilities to what comes true."""

from typing import Any, NamedTuple

import numpy as np

from novum.study.comparison.blend import Blend, Combination
from novum.study.comparison.isotonic import Curve
from novum.study.comparison.stack import FLATTENED, Stack
from novum.study.export.expressions import Writer

__all__ = ["Members", "combined_code", "combined_constants", "combined_words", "members_in"]


class Members(NamedTuple):
    """What a kept model is made of."""

    pipelines: list[Any]
    weights: list[float]
    temperature: float = 1.0  # of the mean's probabilities
    bias: list[float] | None = None  # of a second layer over the members
    curves: list[Curve] | None = None  # along which probabilities go

    @property
    def several(self) -> bool:
        """Whether the members are asked one after the other."""
        return len(self.pipelines) > 1 or self.bias is not None


def members_in(model: Combination) -> Members:
    """Return the members of a mean, or of a second layer."""
    bias = [float(one) for one in model.bias] if isinstance(model, Stack) else None
    temperature = float(model.temperature) if isinstance(model, Blend) else 1.0
    return Members(list(model.estimators), [float(w) for w in model.weights], temperature, bias)


def combined_constants(members: Members, writer: Writer) -> list[str]:
    """Return the numbers that the members are made one by."""
    lines = []
    if members.several:
        writer.imports.add(("numpy", "np"))
        lines.append(f"WEIGHTS = np.array({members.weights!r})")
    if members.bias is not None:
        lines.append(f"CONSTANTS = np.array({members.bias!r})")
    if members.curves:
        curves = writer.text([[np.asarray(part).tolist() for part in curve] for curve in members.curves], "the curves")
        lines.append(f"CURVES = {curves}  # probabilities said and meant, by class")
    return lines


def combined_words(members: Members, of_folds: bool) -> list[str]:
    """Return what the members are made one by, in sentences."""
    words = []
    if members.bias is not None:
        words.append(
            "A second layer adds what its members say, with these weights and constants: logarithms of probabilities, or numbers."
        )
    elif members.several:
        what = "It is the mean of models of folds" if of_folds else "The ensemble is the mean of what its members say"
        words.append(f"{what}, with these weights.")
    if members.temperature != 1.0:
        words.append(
            f"Its probabilities are brought to the temperature {members.temperature:g}, which the folds found."
        )
    if members.curves:
        words.append("Its probabilities go along curves that never fall, which the folds found.")
    return words


def combined_code(members: Members, classify: bool, writer: Writer) -> tuple[list[str], str]:
    """Return functions that make what is said one, and the expression for what `model` says of `frame` together."""
    if not members.several:
        said = f"model.predict{'_proba' * classify}(frame)"
    else:
        said = f"np.stack([one.predict{'_proba' * classify}(frame) for one in model])"
    code: list[str] = []
    if members.bias is None:
        one = f"np.tensordot(WEIGHTS, {said}, axes=1)" if members.several else said
    elif not classify:
        one = f"CONSTANTS + np.tensordot(WEIGHTS, {said}, axes=1)"
    else:
        writer.imports.add(("scipy.special", "softmax"))
        code.append(
            'def together(said):\n    """Add the logarithms of what the models say, drawn a little to equal shares."""\n'
            f"    logs = np.log((1 - {FLATTENED}) * said + {FLATTENED} / said.shape[-1])\n"
            "    return softmax(CONSTANTS + np.tensordot(WEIGHTS, logs, axes=1), axis=-1)"
        )
        one = f"together({said})"
    if members.temperature != 1.0:
        writer.imports.add(("novum.evaluation", "at_temperature"))
        one = f"at_temperature({one}, {members.temperature!r})"
    if members.curves:
        code.append(curve_code(len(members.curves), writer))
        one = f"calibrated({one})"
    return code, one


def curve_code(n_curves: int, writer: Writer) -> str:
    """Return the function that brings probabilities along their curves."""
    writer.imports.add(("numpy", "np"))
    head = 'def calibrated(said):\n    """Return the probabilities along the curves that the folds found."""\n'
    if n_curves == 1:
        return f"{head}    second = np.interp(said[:, 1], *CURVES[0])\n    return np.column_stack([1 - second, second])"
    return (
        f"{head}    meant = [np.interp(said[:, k], *curve) for k, curve in enumerate(CURVES)]\n"
        "    return np.column_stack(meant) / np.sum(meant, axis=0)[:, None]"
    )
