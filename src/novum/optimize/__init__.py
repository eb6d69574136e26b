"""Optimization: one driver per kind of iteration, with histories, certificates and reasons for stopping."""

from novum.optimize.constrained.kkt import KKTReport, check_kkt, dual_value
from novum.optimize.constrained.multipliers import LagrangeSolution, lagrange
from novum.optimize.constrained.solver import ConstrainedSolution, solve
from novum.optimize.descent import gradient_descent
from novum.optimize.greedy import GreedyResult, greedy_search, subset_neighbors
from novum.optimize.newton_method import newton, newton_root
from novum.optimize.plots import plot_descent
from novum.optimize.problem import Constraint, Problem
from novum.optimize.proximal import proximal_gradient
from novum.optimize.quadratic.certificates import InfeasibleProblem, UnboundedProblem
from novum.optimize.quadratic.solver import QPSolution, solve_qp
from novum.optimize.quasi_newton import lbfgs
from novum.optimize.result import Solution
from novum.optimize.risk.minimize import RiskMinimum, minimize_risk
from novum.optimize.risk.objective import LinearParameters, RegularizedRisk
from novum.optimize.risk.penalties import ElasticNetPenalty, L1Penalty, L2Penalty, Penalty
from novum.optimize.rules import SGD, AdaGrad, Adam, RMSProp, UpdateRule
from novum.optimize.schedule_base import RobbinsMonro, Schedule
from novum.optimize.schedules import (
    ConstantSchedule,
    ExponentialSchedule,
    InverseSqrtSchedule,
    InverseTimeSchedule,
    LinearSchedule,
    PolynomialSchedule,
    PowerSchedule,
    StepSchedule,
)
from novum.optimize.stochastic import minimize_stochastic
from novum.optimize.subgradients import Subdifferential, is_subgradient, subdifferential, subgradient_descent

__all__ = [
    "SGD",
    "AdaGrad",
    "Adam",
    "ConstantSchedule",
    "ConstrainedSolution",
    "Constraint",
    "ElasticNetPenalty",
    "ExponentialSchedule",
    "GreedyResult",
    "InfeasibleProblem",
    "InverseSqrtSchedule",
    "InverseTimeSchedule",
    "KKTReport",
    "L1Penalty",
    "L2Penalty",
    "LagrangeSolution",
    "LinearParameters",
    "LinearSchedule",
    "Penalty",
    "PolynomialSchedule",
    "PowerSchedule",
    "Problem",
    "QPSolution",
    "RMSProp",
    "RegularizedRisk",
    "RiskMinimum",
    "RobbinsMonro",
    "Schedule",
    "Solution",
    "StepSchedule",
    "Subdifferential",
    "UnboundedProblem",
    "UpdateRule",
    "check_kkt",
    "dual_value",
    "gradient_descent",
    "greedy_search",
    "is_subgradient",
    "lagrange",
    "lbfgs",
    "minimize_risk",
    "minimize_stochastic",
    "newton",
    "newton_root",
    "plot_descent",
    "proximal_gradient",
    "solve",
    "solve_qp",
    "subdifferential",
    "subgradient_descent",
    "subset_neighbors",
]


def __dir__() -> list[str]:
    return sorted(__all__)
