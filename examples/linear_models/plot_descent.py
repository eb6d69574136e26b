"""
Gradient descent, momentum and Newton's method in a narrow valley
=================================================================

The gradient points across the valley, momentum averages the steps to and fro, and Newton's method knows the curvature: one
step (:doc:`/theory/optimization`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.optimize import gradient_descent, newton, plot_descent

curvature = np.array([1.0, 12.0])
start = [4.0, 1.5]


def valley(x):
    return (curvature * np.square(x)).sum() / 2


def slope(x):
    return curvature * x


plain = gradient_descent(valley, start, gradient=slope, learning_rate=0.15, max_iter=400, keep_path=True)
heavy = gradient_descent(valley, start, gradient=slope, learning_rate=0.2, momentum=0.3, max_iter=400, keep_path=True)
direct = newton(valley, start, gradient=slope, hessian=lambda x: np.diag(curvature), keep_path=True)
found = {"gradient descent": plain, "with momentum": heavy, "Newton": direct}
plot_descent(valley, {f"{name}, steps: {solution.n_iter}": solution.path for name, solution in found.items()})
print({name: solution.n_iter for name, solution in found.items()})
plt.show()
