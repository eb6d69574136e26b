"""Functions of two numbers to go down on: value, gradient and matrix of second derivatives, as scenes draw and scripts write them.

`w` is a pair of numbers, or for `value` a pair of arrays. The last three are mean losses of a line a + b x about points, of which
`rows` chooses some for the gradient.
"""

from typing import Any

import numpy as np

__all__ = ["DOMAINS", "SURFACES", "Absolute", "Hills", "Hinge", "Rosenbrock", "Squared", "Valley"]


class Valley:
    """A long valley: f = a^2 / 2 + 6 b^2."""

    def value(self, w: Any) -> Any:
        return w[0] ** 2 / 2 + 6 * w[1] ** 2

    def gradient(self, w: Any) -> Any:
        return np.array([w[0], 12 * w[1]])

    def hessian(self, w: Any) -> Any:
        return np.diag([1.0, 12.0])


class Rosenbrock:
    """A bent valley: f = (1 - a)^2 + 5 (b - a^2)^2."""

    def value(self, w: Any) -> Any:
        return (1 - w[0]) ** 2 + 5 * (w[1] - w[0] ** 2) ** 2

    def gradient(self, w: Any) -> Any:
        off = w[1] - w[0] ** 2
        return np.array([-2 * (1 - w[0]) - 20 * w[0] * off, 10 * off])

    def hessian(self, w: Any) -> Any:
        cross = -20 * w[0]
        return np.array([[2 + 60 * w[0] ** 2 - 20 * w[1], cross], [cross, 10.0]])


class Hills:
    """Four places to end in: f = (a^2 + b - 11)^2 + (a + b^2 - 7)^2."""

    def value(self, w: Any) -> Any:
        return (w[0] ** 2 + w[1] - 11) ** 2 + (w[0] + w[1] ** 2 - 7) ** 2

    def gradient(self, w: Any) -> Any:
        first, second = w[0] ** 2 + w[1] - 11, w[0] + w[1] ** 2 - 7
        return np.array([4 * w[0] * first + 2 * second, 2 * first + 4 * w[1] * second])

    def hessian(self, w: Any) -> Any:
        cross = 4 * (w[0] + w[1])
        return np.array([[12 * w[0] ** 2 + 4 * w[1] - 42, cross], [cross, 12 * w[1] ** 2 + 4 * w[0] - 26]])


class Squared:
    """The mean of the squares (t - a - b x)^2."""

    def __init__(self, x: Any, t: Any) -> None:
        self.x, self.t = x, t

    def value(self, w: Any) -> Any:
        a, b = np.asarray(w[0])[..., None], np.asarray(w[1])[..., None]
        return np.mean((self.t - a - b * self.x) ** 2, axis=-1)

    def gradient(self, w: Any, rows: Any = ...) -> Any:
        x, t = self.x[rows], self.t[rows]
        off = t - w[0] - w[1] * x
        return np.array([-2 * np.mean(off), -2 * np.mean(off * x)])

    def hessian(self, w: Any) -> Any:
        cross = 2 * np.mean(self.x)
        return np.array([[2.0, cross], [cross, 2 * np.mean(self.x**2)]])


class Absolute:
    """The mean of the distances abs(t - a - b x), which has kinks."""

    def __init__(self, x: Any, t: Any) -> None:
        self.x, self.t = x, t

    def value(self, w: Any) -> Any:
        a, b = np.asarray(w[0])[..., None], np.asarray(w[1])[..., None]
        return np.mean(np.abs(self.t - a - b * self.x), axis=-1)

    def gradient(self, w: Any, rows: Any = ...) -> Any:
        x, t = self.x[rows], self.t[rows]
        side = np.sign(t - w[0] - w[1] * x)
        return np.array([-np.mean(side), -np.mean(side * x)])

    def hessian(self, w: Any) -> Any:
        return np.zeros((2, 2))


class Hinge:
    """The mean of max(0, 1 - s (a + b x)), where s is the sign of t: it has kinks too."""

    def __init__(self, x: Any, t: Any) -> None:
        self.x, self.t = x, t

    def value(self, w: Any) -> Any:
        a, b = np.asarray(w[0])[..., None], np.asarray(w[1])[..., None]
        return np.mean(np.maximum(0, 1 - np.sign(self.t) * (a + b * self.x)), axis=-1)

    def gradient(self, w: Any, rows: Any = ...) -> Any:
        x, s = self.x[rows], np.sign(self.t[rows])
        inside = s * (w[0] + w[1] * x) < 1
        return np.array([-np.mean(inside * s), -np.mean(inside * s * x)])

    def hessian(self, w: Any) -> Any:
        return np.zeros((2, 2))


SURFACES: dict[str, Any] = {
    "valley": Valley,
    "rosenbrock": Rosenbrock,
    "hills": Hills,
    "squared": Squared,
    "absolute": Absolute,
    "hinge": Hinge,
}
DOMAINS = {"valley": ((-3.0, 3.0), (-2.0, 2.0)), "rosenbrock": ((-2.5, 2.5), (-1.5, 3.5)), "hills": ((-6.0, 6.0),) * 2}
