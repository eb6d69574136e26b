r"""Separated classes: when the likelihood of logistic regression has no finite maximum.

A direction d separates if, for every row i and every class k other than its own,

    (d_{y_i} - d_k) . x'_i >= 0,   with > 0 somewhere                                              (16)

Moving theta along d then raises the likelihood for ever (Albert and Anderson, 1984): completely separated if all are > 0,
quasi-completely if some are 0. On such data Newton's method never comes to rest: the gradient shrinks by a factor e a step while
the step stays as long as it was, along a separating direction. Otherwise the last steps are quadratic and short. So the
iteration itself distinguishes the cases, and (16) is then verified on all rows. Where columns are too many to sum Hessians the
steps are those of conjugate gradients; there theta itself is the first candidate: with more columns than rows it mostly separates.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from novum.fold.blocks import Block
from novum.linear_model.logistic.newton import (
    Objective,
    conjugate_gradients,
    newton_direction,
    preconditioner,
    search,
)
from novum.linear_model.logistic.sums import Point, row_weight, scores
from novum.report.result import result
from novum.runtime import arrays

__all__ = ["Examined", "SeparatingDirection", "examine", "examine_by_products", "separation_text"]

REST = 1e-6  # change of the scores, relative to their size, below which the iteration is at rest
MOST_STEPS = 40  # e^-40 is below rounding
SLACK = 1e-6  # of the widest margin: how far a row may seem on the wrong side by rounding
PRECISE = 1e-2  # what conjugate gradients may leave of the gradient in a step that is judged by its length
QUIET = 1e-7  # gradient below which a step that is still long must follow a separating direction
SHOWN = 3  # columns of a separating direction that its warning names


@result
class SeparatingDirection(NamedTuple):
    """A separating direction (16), in the shape of coef_ with the intercept's share last."""

    direction: np.ndarray  # (K or 1, p + 1), of unit length
    complete: bool  # all rows strictly on their side
    separated: float  # share of the weight that lies strictly on its side


class Examined(NamedTuple):
    theta: np.ndarray
    objective: float
    hessian: np.ndarray
    separation: SeparatingDirection | None


class Margins(NamedTuple):
    least: float
    most: float
    beyond: float  # weight of rows with a clearly positive margin
    weight: float


def margins(direction: Point, block: Block) -> Margins:
    """Return the least and the largest margin of (16) in one block; `constant` and theta are those of a point."""
    if arrays.is_tensor(block.X):
        return tensor_margins(direction, block)
    z, y = scores(direction, block.X), block.y
    weight = np.ones(block.rows) if block.weight is None else block.weight
    if direction.class_weight is not None:
        weight = weight * direction.class_weight[y]
    if direction.binary:
        margin = np.where(y == 1, z[:, 0], -z[:, 0])
    else:
        own = z[np.arange(len(z)), y]
        z[np.arange(len(z)), y] = -np.inf
        margin = own - z.max(axis=1)
    margin, weight = margin[weight > 0], weight[weight > 0]
    if not len(margin):
        return Margins(np.inf, -np.inf, 0.0, 0.0)
    return Margins(
        float(margin.min()),
        float(margin.max()),
        float(weight[margin > SLACK * np.abs(margin).max()].sum()),
        float(weight.sum()),
    )


def tensor_margins(direction: Point, block: Block) -> Margins:
    """Return the same of a tensor, where it is: four numbers come back."""
    import torch

    z = scores(direction, block.X)
    weight = row_weight(direction, block)
    weight = torch.ones_like(z[:, 0]) if weight is None else weight
    if direction.binary:
        margin = torch.where(block.y == 1, z[:, 0], -z[:, 0])
    else:
        place = block.y.long()[:, None]
        own = z.gather(1, place)[:, 0]
        margin = own - z.scatter(1, place, -torch.inf).amax(dim=1)
    there = weight > 0
    least = torch.where(there, margin, torch.inf).min()
    most = torch.where(there, margin, -torch.inf).max()
    wide = SLACK * torch.where(there, margin.abs(), 0.0).max()
    beyond = torch.where(there & (margin > wide), weight, 0.0).sum()
    return Margins(*arrays.to_numpy(torch.stack([least, most, beyond, weight.sum()])).tolist())


def merge_margins(a: Margins, b: Margins) -> Margins:
    """Return the margins of two blocks together."""
    return Margins(min(a.least, b.least), max(a.most, b.most), a.beyond + b.beyond, a.weight + b.weight)


def certify(objective: Objective, d: np.ndarray) -> SeparatingDirection | None:
    """Return d as a separation if (16) holds on all rows."""
    length = float(np.linalg.norm(d))
    if not length > 0:
        return None
    found = objective.source.total(
        margins, Point(d / length, objective.constant, objective.class_weight), merge_margins
    )
    if not found.most > 0 or found.least < -SLACK * found.most:
        return None
    return SeparatingDirection(d / length, found.least > SLACK * found.most, found.beyond / found.weight)


def examine(objective: Objective, theta: np.ndarray) -> Examined:
    """Go on from theta until Newton's method rests or follows a separating direction; return what was found."""
    point = objective.point(theta, True)
    value = objective.value(point)
    d = np.zeros_like(theta)
    for _ in range(MOST_STEPS):
        d = newton_direction(objective, value)
        size = max(1.0, float(np.abs(theta).max()))
        if np.abs(d).max() <= REST * size and np.abs(value.gradient).max() <= REST:
            polished = search(objective, theta, value, d, True)
            if polished is not None:
                point, value = polished
            return Examined(point.theta, value.objective, value.hessian, None)
        if np.abs(value.gradient).max() <= QUIET and (separation := certify(objective, d)) is not None:
            return Examined(theta, value.objective, value.hessian, separation)
        found = search(objective, theta, value, d, True)
        if found is None:
            break
        point, value = found
        theta = point.theta
    return Examined(theta, value.objective, value.hessian, certify(objective, d))


def examine_by_products(objective: Objective, theta: np.ndarray) -> SeparatingDirection | None:
    """Return the separation of the classes, if there is one, without summed Hessians; theta is where the iteration ended."""
    found = certify(objective, theta)
    if found is not None and found.complete:
        return found
    point = objective.point(theta)
    value, precondition, d = objective.value(point), preconditioner(objective, point), np.zeros_like(theta)
    for _ in range(MOST_STEPS):
        d = conjugate_gradients(partial(objective.product, point), -value.gradient, precondition, PRECISE)
        steepest = float(np.abs(value.gradient).max())
        if np.abs(d).max() <= REST * max(1.0, float(np.abs(theta).max())):
            return None
        if steepest <= QUIET and (separation := certify(objective, d)) is not None:
            return separation
        moved = search(objective, theta, value, d, False)
        if moved is None:
            break
        point, value = moved
        theta = point.theta
    return certify(objective, d)


def separation_text(model: Any, separation: SeparatingDirection) -> str:
    """Return the warning for separated classes."""
    names = list(getattr(model, "feature_names_in_", [f"x{j}" for j in range(model.n_features_in_)]))
    size = np.abs(separation.direction[:, :-1]).max(axis=0)
    order = np.argsort(-size)[:SHOWN]
    parts = ", ".join(
        f"{names[j]} {separation.direction[np.abs(separation.direction[:, j]).argmax(), j]:+.3g}" for j in order
    )
    kind = "completely" if separation.complete else "quasi-completely"
    return (
        f"{type(model).__name__}: the classes are {kind} separated (direction: {parts}; separation_ has all of it), so the"
        f" likelihood has no finite maximum and coef_ is where the iteration stopped. Penalise, e.g. C=1.0, drop the columns"
        f" that give the class away, or take Firth's estimates: inference(X, y, method='firth')."
    )
