r"""Which algorithm finds the minimum of penalised logistic regression, by the shape and the home of the data.

    no L1 part    few columns   Newton with factored Hessians (8)      many   Newton with conjugate gradients
    L1 part       few columns   proximal Newton on summed Hessians     many   working sets, in memory
    an L2 penalty on sparse rows of two classes with many columns             the dual (17) while it is quick
    fewer rows than half the columns                                          L-BFGS (18) while it is quick

A pass over many rows in memory costs much more than one over a share of them, so there the start is the minimum of a share:
the leading rows of every block. What it gives is only a start, and given up where zero is a better one.
"""

from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError
from novum.fold.blocks import Source
from novum.fold.homes.team import in_short_blocks
from novum.linear_model.frame import Frame, frame_of
from novum.linear_model.logistic.descent import proximal_newton, working_sets
from novum.linear_model.logistic.dual import dual_descent, suits
from novum.linear_model.logistic.newton import NewtonMinimum, Objective, newton_cg, newton_cholesky
from novum.linear_model.logistic.options import Penalty
from novum.linear_model.logistic.quasi_newton import quasi_newton, quick_for

__all__ = ["Design", "framed", "in_blocks", "minimum", "objective_of", "start_of", "sums_hessians"]

HESSIAN_COLUMNS = 256  # of two classes, up to which a pass that sums the Hessian costs less than the products it saves
HESSIAN_COLUMNS_SEVERAL = 128  # of K classes, (K + 1) columns: the Hessian has K (K + 1) / 2 different blocks
FEW_FAR = 2048  # of K columns where a pass is dear: files, Dask, a GPU; beyond it the Hessian itself is the burden
FEW_PENALISED = 512  # of K columns, with an L1 part: coordinate descent on the summed Hessian
BLOCK = 2**18  # values per block where a pass gives vectors only: enough to be worth a thread
SHARE, SHARE_STEPS = 8, 6  # one row in eight, for at most six steps, makes a start
SHARE_FROM = 2**20  # values from which a start on a share pays
LARGEST = 1e200  # penalty of a column in the frame: its coefficient is zero to any number of digits
SHARE_ROWS = 50  # rows per parameter that a share must have, or its minimum lies too far off


class Design(NamedTuple):
    """What the minimum depends on beside the data."""

    k: int
    constant: float  # the value of the column that carries the intercept, 0 without one
    penalised_intercept: bool
    class_weight: np.ndarray | None
    weight: float  # W
    penalty: Penalty
    frame: Frame | None = None  # in which the rows of the source stand


def framed(source: Source, design: Design, owner: str) -> tuple[Source, Design]:
    """Return rows and problem in the frame of the columns, which cannot be centred where the intercept is penalised or missing."""
    free = bool(design.constant) and not (design.penalised_intercept and design.penalty.name is not None)
    frame = frame_of(source, owner, free, intercept=bool(design.constant))
    return (source, design) if frame is None else (frame.source(source), design._replace(frame=frame))


def objective_of(source: Source, design: Design) -> tuple[Objective, np.ndarray]:
    """Return the smooth part (7) over a source, and l1 of every column; penalties are those of the user's units."""
    strength = 1.0 / (design.penalty.C * design.weight)
    each = np.full(source.n_features + 1, strength)
    if not design.penalised_intercept:
        each[-1] = 0.0
    ratio = design.penalty.l1_ratio
    unit = np.ones(len(each)) if design.frame is None else np.append(design.frame.unit, 1.0)
    with np.errstate(over="ignore"):
        l2, l1 = ((1 - ratio) * each / unit / unit, ratio * each / unit)
    l2, l1 = np.minimum(l2, LARGEST), np.minimum(l1, LARGEST)
    return Objective(source, design.k, design.constant, design.class_weight, design.weight, l2), l1


def sums_hessians(source: Source, k: int, l1: bool) -> bool:
    """Return whether Hessians are summed."""
    p, outputs = source.n_features + 1, 1 if k == 2 else k
    if not source.at_hand:
        return outputs * p <= FEW_FAR
    if l1:
        return outputs * p <= FEW_PENALISED and (source.n_rows or 0) > p
    return p <= HESSIAN_COLUMNS if k == 2 else (k + 1) * p <= HESSIAN_COLUMNS_SEVERAL


def in_blocks(source: Source) -> Source:
    """Return the source in blocks for passes that give vectors only."""

    def rows(n: int, p: int) -> int:
        entries = source.array().nnz if source.sparse else n * p
        blocks = max(1, min(64, entries // BLOCK, n))
        if source.sparse:  # a block's sums are as long as a row is wide
            blocks = max(1, min(blocks, entries // (4 * p)))
        return -(-n // (1 << (blocks.bit_length() - 1)))

    return source.cut(rows)


def minimum(
    source: Source, design: Design, theta: np.ndarray | None, tol: float, max_iter: int, report: Any = None
) -> NewtonMinimum:
    """Return the minimum of (9), from theta or from zero."""
    l1_part, direct = design.penalty.l1_ratio > 0, sums_hessians(source, design.k, design.penalty.l1_ratio > 0)
    if not direct and not l1_part:
        source = in_blocks(source)
    elif design.k == 2 and not l1_part:
        source = in_short_blocks(source)
    objective, l1 = objective_of(source, design)
    start = objective.start() if theta is None else theta
    begin = getattr(report, "begin", lambda theta: None)
    if l1_part:
        if not direct and not source.at_hand:
            raise DataError(
                f"LogisticRegression: an L1 penalty on {source.n_features} columns needs them in memory; outside it the summed"
                f" Hessian would have {(source.n_features + 1) ** 2:.2g} entries. Use l1_ratio=0, or a share of the columns."
            )
        solver = proximal_newton if direct else working_sets
        begin(start)
        return solver(objective, start, l1, tol, max_iter, report)
    if not direct and design.frame is None and suits(source, design.k, theta, design.penalty.C):
        begin(start)
        return dual_descent(objective, design.penalty.C, design.penalised_intercept, tol, max_iter, report)
    if not direct and quick_for(source, tol):
        begin(start)
        return quasi_newton(objective, start, tol, max_iter, report)
    solve = newton_cholesky if direct else newton_cg
    if theta is None and source.at_hand and max_iter > SHARE_STEPS:
        start = start_on_share(objective, solve, start, tol)
    begin(start)
    return solve(objective, start, tol, max_iter, report)


def start_on_share(objective: Objective, solve: Any, start: np.ndarray, tol: float) -> np.ndarray:
    """Return the minimum over a share of the rows, or `start` where that would not pay."""
    n, p = objective.source.n_rows or 0, objective.free
    if n * p < SHARE_FROM or n < SHARE * SHARE_ROWS * start.size or objective.source.sparse:
        return start
    objective.share = SHARE
    found = solve(objective, start, max(tol, 1e-3), SHARE_STEPS)
    objective.share = 1
    return found.theta


def start_of(before: Any, k: int, p: int, design: Design) -> np.ndarray | None:
    """Return theta of the last fit, or None where there was none or its shape was another."""
    if before is None or before[0].shape != (1 if k == 2 else k, p):
        return None
    last = before[1] / design.constant if design.constant else np.zeros(len(before[1]))
    theta = np.column_stack([before[0], last])
    return theta if design.frame is None else design.frame.inward(theta, design.constant)
