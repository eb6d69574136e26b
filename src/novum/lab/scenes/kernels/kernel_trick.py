"""The kernel trick: a perceptron that sees rows through a kernel alone, the lift that it stands for, and whether it is one."""

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import NotConverged
from novum.lab.calls import python_script
from novum.lab.controls import Choice, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.maps import level_map
from novum.lab.points import Points
from novum.lab.presets import CIRCLES, MOONS, TOUCHING, XOR
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, heat, number, plane

LARGEST = 0.6  # of the sizes of points
TILT = np.radians(20)  # of the view on the lifted rows


def parts_of(name: str, gamma: float) -> tuple[str, dict[str, Any]]:
    """Return the class of a kernel and what it is given."""
    return {
        "linear": ("Linear", {}),
        "square": ("Polynomial", {"degree": 2, "coef0": 1.0, "gamma": 1.0}),
        "cubic": ("Polynomial", {"degree": 3, "coef0": 1.0, "gamma": gamma}),
        "rbf": ("RBF", {"length_scale": float(1 / np.sqrt(2 * gamma))}),
        "sigmoid": ("Sigmoid", {"gamma": gamma, "coef0": -1.0}),
    }[name]


CHOICES = ("linear", "square", "cubic", "rbf", "sigmoid")


class KernelSteps(Scene):
    name = "kernel-trick"
    family = "kernels"
    rows = (
        *("000-b/14/feature-map", "003/9/fig-feature-lift", "000-c/15/gram-matrix", "000-c/15/kernel-perceptron"),
        "000-b/14/plot-feature-map",
    )
    points = Points(
        "classes",
        presets={**CIRCLES, **XOR, **MOONS, **TOUCHING},
        n=Slider(4, 60, 40, integer=True),
        noise=Slider(0.05, 1.5, 0.5),
        classes=2,
        limit=60,
    )
    first = Choice(CHOICES, "square")
    operation = Choice(("alone", "plus", "times"), "alone")
    second = Choice(CHOICES, "linear", hidden_when={"operation": "alone"})
    gamma = Slider(0.05, 10.0, 1.0, log=True)
    most = Slider(2, 200, 60, integer=True)
    turn = Slider(0, 180, 45, integer=True)
    views = (
        plane(
            points="X", target="y", classes="y", sizes="sizes", map="map", map_kind="level", marked="row", editable=True,
            linked="points",
        ),
        number("wrong", r"\sum_i \left[ t_i f(x_i) \le 0 \right], \quad f(x) = \sum_i m_i t_i \, k(x, x_i)"),
        number("mistakes"),
        number("eigenvalue"),
        plane(
            id="lift", points="lifted", target="y", classes="y", lines="axes", labels="axis_names", domain="sides",
            linked="points",
        ),
        heat(values="gram", diverging=True),
        curve(series=[{"value": "wrong", "label": "value.wrong"}]),
        bars(values="spectrum", labels="ranks"),
    )  # fmt: skip

    def check(self, s: State) -> None:
        if len(set(s.points.y.tolist())) < 2:
            raise Refusal("points: both classes must have a point.", "points")

    def kernel(self, s: State) -> Any:
        from novum import kernels

        def made(name: str) -> Any:
            cls, given = parts_of(name, s.gamma)
            return getattr(kernels, cls)(**given)

        if s.operation == "alone":
            return made(s.first)
        return made(s.first) + made(s.second) if s.operation == "plus" else made(s.first) * made(s.second)

    def machine(self, s: State, rows: list[int]) -> Any:
        """Return the perceptron that looked at these rows once, one after the other."""
        from novum.kernels import KernelPerceptron

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)  # one look at each is all there is
            return KernelPerceptron(self.kernel(s), max_iter=1).fit(s.points.X[rows], s.points.y[rows])

    def mistakes(self, s: State) -> Iterator[tuple[list[int], list[int], Any]]:
        """Yield the rows that were wrong so far, those to look at for the same machine, and the machine.

        Rows that were right change nothing and are left out, but for one where the rows that were wrong are all of one class: a
        machine is told of two.
        """
        X, y, kernel = s.points.X, s.points.y, self.kernel(s)
        target, visits = 2 * y - 1, np.tile(np.arange(len(y)), s.most)
        wrong, at = [0], 1
        rows = [0]
        while len(set(y[rows].tolist())) < 2:
            i = int(visits[at])
            score = float((np.asarray(kernel(X[i : i + 1], X[wrong])) @ target[wrong])[0])
            if target[i] * score <= 0:
                wrong, rows = [*wrong, i], [*rows, i]
            elif y[i] != y[0]:
                rows = [*rows, i]
            at += 1
        machine = self.machine(s, rows)
        yield wrong, rows, machine
        while len(wrong) < s.most:
            left = np.flatnonzero((target * machine.decision_function(X) <= 0)[visits[at:]])
            if not left.size:
                return
            at += int(left[0])
            i = int(visits[at])
            wrong, rows, at = [*wrong, i], [*rows, i], at + 1
            machine = self.machine(s, rows)
            yield wrong, rows, machine

    def frames(self, s: State) -> Iterator[Frame]:
        X, y, kernel = s.points.X, s.points.y, self.kernel(s)
        order = np.argsort(y, kind="stable")
        gram = np.asarray(kernel(X[order]))
        checked = kernel.is_psd(X)
        least = float(checked.smallest_eigenvalue)
        spectrum = np.linalg.eigvalsh(gram)[::-1]
        shown = np.concatenate([spectrum[:4], spectrum[-2:]]) if len(spectrum) > 6 else spectrum
        ranks = ["1", "2", "3", "4", str(len(X) - 1), str(len(X))] if len(spectrum) > 6 else []
        fixed = {
            "X": X,
            "y": y,
            **lifted(X, s.turn),
            "gram": gram,
            "spectrum": shown,
            "ranks": ranks or [str(i + 1) for i in range(len(spectrum))],
        }
        target = 2 * y - 1
        for changed, _, model in self.mistakes(s):
            mistakes = np.bincount(changed, minlength=len(X))
            heights = model.decision_function(X)
            wrong = np.flatnonzero(target * heights <= 0)
            unit = 4 * max(float(np.abs(heights).max()), 1e-300)
            drawn = {
                **fixed,
                "sizes": 0.1 + LARGEST * mistakes / int(mistakes.max()),
                "map": level_map(partial(level_of, model, unit), s.points.domain),
                "row": changed[-1:],
            }
            values = {"wrong": len(wrong), "mistakes": len(changed), "eigenvalue": least}
            said = {"n": len(changed), "row": changed[-1] + 1, "wrong": len(wrong), "least": least, "of": len(X)}
            key = "clean" if not len(wrong) else "update" if checked else "no_kernel"
            yield Frame(len(changed), values, drawn, (key, said))

    def script(self, s: State, n: int, part: str) -> str:
        names, written = set(), []
        for name in (s.first, s.second) if s.operation != "alone" else (s.first,):
            cls, given = parts_of(name, s.gamma)
            names.add(cls)
            written.append(f"{cls}({', '.join(f'{key}={value!r}' for key, value in given.items())})")
        kernel = {"alone": "", "plus": " + ", "times": " * "}[s.operation].join(written)
        rows = next(rows for wrong, rows, _ in self.mistakes(s) if len(wrong) == n)
        return python_script(
            [
                s.points.code,
                f"from novum.kernels import KernelPerceptron, {', '.join(sorted(names))}",
                f"rows = {rows!r}  # those that were wrong, one after the other",
                f"model = KernelPerceptron({kernel}, max_iter=1).fit(X[rows], y[rows])",
                "print(int(((2 * y - 1) * model.decision_function(X) <= 0).sum()))",
            ]
        )


def level_of(model: Any, unit: float, grid: NDArray) -> NDArray:
    """Return the function of the perceptron as a share, the border in the middle."""
    return 0.5 + model.decision_function(grid) / unit


def lifted(X: NDArray, turn: float) -> dict[str, Any]:
    """Return (x1^2, sqrt(2) x1 x2, x2^2), seen from the side: the squares that the kernel (1 + x'z)^2 compares."""
    space = np.column_stack([X[:, 0] ** 2, np.sqrt(2) * X[:, 0] * X[:, 1], X[:, 1] ** 2])
    angle = np.radians(turn)
    across = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    up = np.array([np.sin(angle) * np.cos(TILT), np.sin(TILT), np.cos(angle) * np.cos(TILT)])
    reach = max(float(np.abs(space).max()), 1e-3)
    ends = reach * np.column_stack([across, up])
    flat = np.column_stack([space @ across, space @ up])
    sides = [[float(v) for v in (min(low, -0.1 * reach), max(high, 0.1 * reach))] for low, high in spans(flat, ends)]
    return {
        "lifted": flat,
        "axes": [{"p": [[0.0, 0.0], end.tolist()], "role": "normal"} for end in ends],
        "axis_names": [[*end.tolist(), name] for end, name in zip(ends, ("x₁²", "√2 x₁x₂", "x₂²"), strict=True)],
        "sides": sides,
    }


def spans(flat: NDArray, ends: NDArray) -> list[tuple[float, float]]:
    """Return the least and the largest of both coordinates, with some room."""
    both = np.vstack([flat, ends, np.zeros((1, 2))])
    low, high = both.min(axis=0), both.max(axis=0)
    room = 0.08 * (high - low)
    return list(zip((low - room).tolist(), (high + room).tolist()))
