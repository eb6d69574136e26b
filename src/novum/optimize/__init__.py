"""Optimization: one driver per kind of iteration, with histories, certificates and reasons for stopping."""

from .certificates import InfeasibleProblem, UnboundedProblem
from .constrained import ConstrainedSolution, solve
from .descent import gradient_descent
from .greedy import GreedyResult, greedy_search, subset_neighbors
from .kkt import KKTReport, check_kkt, dual_value
from .multipliers import LagrangeSolution, lagrange
from .newton_method import newton, newton_root
from .penalties import ElasticNetPenalty, L1Penalty, L2Penalty, Penalty
from .plots import plot_descent, plot_subgradients
from .problem import Constraint, Problem
from .proximal import proximal_gradient
from .quadratic import QPSolution, solve_qp
from .quasi_newton import lbfgs
from .result import Solution
from .risk import RiskMinimum, minimize_risk
from .risk_objective import LinearParameters, RegularizedRisk
from .rules import SGD, AdaGrad, Adam, RMSProp, UpdateRule
from .schedules import (
    ConstantSchedule,
    ExponentialSchedule,
    InverseSqrtSchedule,
    InverseTimeSchedule,
    LinearSchedule,
    PolynomialSchedule,
    PowerSchedule,
    RobbinsMonro,
    Schedule,
    StepSchedule,
)
from .stochastic import minimize_stochastic
from .subgradients import Subdifferential, is_subgradient, subdifferential, subgradient_descent
from .time_scales import TimeScales, check_time_scales

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
    "TimeScales",
    "UnboundedProblem",
    "UpdateRule",
    "check_kkt",
    "check_time_scales",
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
    "plot_subgradients",
    "proximal_gradient",
    "solve",
    "solve_qp",
    "subdifferential",
    "subgradient_descent",
    "subset_neighbors",
]
