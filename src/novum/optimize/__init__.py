"""Optimization: one driver per kind of iteration, with histories, certificates and reasons for stopping."""

from novum.optimize.constrained import solve
from novum.optimize.descent import gradient_descent
from novum.optimize.greedy import greedy_search
from novum.optimize.kkt import check_kkt
from novum.optimize.newton_method import newton
from novum.optimize.penalties import ElasticNetPenalty, L1Penalty, L2Penalty
from novum.optimize.plots import plot_descent
from novum.optimize.problem import Constraint, Problem
from novum.optimize.proximal import proximal_gradient
from novum.optimize.quadratic import solve_qp
from novum.optimize.quasi_newton import lbfgs
from novum.optimize.risk import minimize_risk
from novum.optimize.rules import SGD, AdaGrad, Adam, RMSProp
from novum.optimize.schedules import (
    ConstantSchedule,
    ExponentialSchedule,
    PolynomialSchedule,
    PowerSchedule,
    Schedule,
    StepSchedule,
)
from novum.optimize.stochastic import minimize_stochastic
from novum.optimize.subgradients import subdifferential, subgradient_descent
from novum.runtime.moved_names import moved_names

__all__ = [
    "SGD",
    "AdaGrad",
    "Adam",
    "ConstantSchedule",
    "Constraint",
    "ElasticNetPenalty",
    "ExponentialSchedule",
    "L1Penalty",
    "L2Penalty",
    "PolynomialSchedule",
    "PowerSchedule",
    "Problem",
    "RMSProp",
    "Schedule",
    "StepSchedule",
    "check_kkt",
    "gradient_descent",
    "greedy_search",
    "lbfgs",
    "minimize_risk",
    "minimize_stochastic",
    "newton",
    "plot_descent",
    "proximal_gradient",
    "solve",
    "solve_qp",
    "subdifferential",
    "subgradient_descent",
]

__getattr__ = moved_names(
    __name__,
    {
        ".certificates": "InfeasibleProblem UnboundedProblem",
        ".constrained": "ConstrainedSolution",
        ".greedy": "GreedyResult subset_neighbors",
        ".kkt": "KKTReport dual_value",
        ".multipliers": "LagrangeSolution lagrange",
        ".newton_method": "newton_root",
        ".penalties": "Penalty",
        ".plots": "plot_subgradients",
        ".quadratic": "QPSolution",
        ".result": "Solution",
        ".risk": "RiskMinimum",
        ".risk_objective": "LinearParameters RegularizedRisk",
        ".rules": "UpdateRule",
        ".schedules": "InverseSqrtSchedule InverseTimeSchedule LinearSchedule RobbinsMonro",
        ".subgradients": "Subdifferential is_subgradient",
        ".time_scales": "TimeScales check_time_scales",
    },
)
