"""Optimization: one driver per kind of iteration, with histories, certificates and reasons for stopping."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
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
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".constrained.kkt": "KKTReport check_kkt dual_value",
            ".constrained.multipliers": "LagrangeSolution lagrange",
            ".constrained.solver": "ConstrainedSolution solve",
            ".descent": "gradient_descent",
            ".greedy": "GreedyResult greedy_search subset_neighbors",
            ".newton_method": "newton newton_root",
            ".plots": "plot_descent",
            ".problem": "Constraint Problem",
            ".proximal": "proximal_gradient",
            ".quadratic.certificates": "InfeasibleProblem UnboundedProblem",
            ".quadratic.solver": "QPSolution solve_qp",
            ".quasi_newton": "lbfgs",
            ".result": "Solution",
            ".risk.minimize": "RiskMinimum minimize_risk",
            ".risk.objective": "LinearParameters RegularizedRisk",
            ".risk.penalties": "ElasticNetPenalty L1Penalty L2Penalty Penalty",
            ".rules": "SGD AdaGrad Adam RMSProp UpdateRule",
            ".schedule_base": "RobbinsMonro Schedule",
            ".schedules": (
                "ConstantSchedule ExponentialSchedule InverseSqrtSchedule InverseTimeSchedule LinearSchedule"
                " PolynomialSchedule PowerSchedule StepSchedule"
            ),
            ".stochastic": "minimize_stochastic",
            ".subgradients": "Subdifferential is_subgradient subdifferential subgradient_descent",
        },
    )

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
