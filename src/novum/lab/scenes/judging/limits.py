"""Means of more and more draws: how far they stray, what three inequalities allow, and the distribution in the limit."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import python_script
from novum.lab.controls import Choice, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import curve, number, plane

RUNS = 300  # sequences
DRAWN = 8  # of them
BINS = 24  # of the standardized means
REACH = 4.0
DISTRIBUTIONS = {  # the call that draws, mean and variance
    "coin": "(generator.random({size}) < {p!r}).astype(float)",
    "uniform": "generator.random({size})",
    "arcsine": "generator.beta(0.5, 0.5, {size})",
}
DIMENSIONS = tuple(range(1, 101))


class LimitSteps(Scene):
    name = "limits"
    family = "judging"
    rows = (
        *("000-a/5/lln", "000-a/5/clt", "000-a/5/chebyshev", "003/8/hoeffding", "003/7/curse-of-dimensionality"),
        "004/10/lln-demo",
    )
    distribution = Choice(tuple(DISTRIBUTIONS), "coin")
    p = Slider(0.01, 0.99, 0.3, hidden_when={"distribution": ["uniform", "arcsine"]})
    epsilon = Slider(0.01, 0.5, 0.1)
    delta = Slider(0.01, 0.5, 0.05)
    most = Slider(10, 400, 200, integer=True)
    dimensions = Slider(1, 100, 3, integer=True)
    thickness = Slider(0.005, 0.3, 0.05)
    views = (
        plane(points="means", lines="lines", domain="domain"),
        number("share", r"\frac{1}{R} \sum_r \left[ |\bar{x}_{r,n} - \mu| > \varepsilon \right]"),
        number("tightest"),
        curve(
            series=[
                {"value": "share", "label": "value.share"},
                {"value": "chebyshev", "label": "value.chebyshev"},
                {"value": "hoeffding", "label": "value.hoeffding"},
                {"value": "bernstein", "label": "value.bernstein"},
                {"value": "normal", "label": "value.normal", "role": "bound"},
            ]
        ),
        curve(
            id="standardized",
            x="z",
            series=[
                {"array": "observed", "label": "value.observed"},
                {"array": "density", "label": "value.density", "role": "bound"},
            ],
        ),
        curve(
            id="shells",
            x="d",
            series=[{"array": "shell", "label": "value.shell"}, {"array": "side", "label": "value.side"}],
            marker="dimensions",
            drag="dimensions",
        ),
        number("shell_here"),
    )

    def check(self, s: State) -> None:
        mean, _ = self.facts(s)
        if s.epsilon >= max(mean, 1 - mean):
            raise Refusal(f"epsilon={s.epsilon:g}: no mean can be so far from {mean:g}; take it smaller.", "epsilon")

    def facts(self, s: State) -> tuple[float, float]:
        """Return mean and variance of a draw."""
        return {"coin": (s.p, s.p * (1 - s.p)), "uniform": (0.5, 1 / 12), "arcsine": (0.5, 1 / 8)}[s.distribution]

    def draws(self, s: State) -> NDArray:
        """Return the draws of all sequences, (RUNS, most)."""
        generator, size = np.random.default_rng(s.seed), (RUNS, s.most)
        if s.distribution == "coin":
            return (generator.random(size) < s.p).astype(float)
        return generator.random(size) if s.distribution == "uniform" else generator.beta(0.5, 0.5, size)

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.distributions import Normal
        from novum.teaching import curse_of_dimensionality
        from novum.theory import bernstein, chebyshev, hoeffding

        X, (mean, variance) = self.draws(s), self.facts(s)
        sd = float(np.sqrt(variance))
        curse = curse_of_dimensionality(DIMENSIONS, side=1 - s.thickness)
        far = max(mean, 1 - mean)
        at = np.unique(np.geomspace(1, s.most, 60).astype(int))
        radii = {
            0: [chebyshev(int(n), delta=s.delta, variance=variance) for n in at],
            1: [hoeffding(int(n), delta=s.delta, two_sided=True) for n in at],
            2: [bernstein(int(n), delta=s.delta, variance=variance, bound=far, two_sided=True) for n in at],
        }
        tube = [
            {"p": np.column_stack([at, np.clip(mean + sign * np.array(r), -1, 2)]).tolist(), "role": "margin", "k": k}
            for k, r in radii.items()
            for sign in (1, -1)
        ]
        edges = np.linspace(-REACH, REACH, BINS + 1)
        fixed = {
            "domain": [[0.0, float(s.most)], [max(0.0, mean - 0.5) - 0.02, min(1.0, mean + 0.5) + 0.02]],
            "z": (edges[1:] + edges[:-1]) / 2,
            "density": Normal(0.0, 1.0).prob((edges[1:] + edges[:-1]) / 2),
            "d": np.array(DIMENSIONS, float),
            "shell": curse.shell,
            "side": curse.side,
        }
        paths = np.cumsum(X[:DRAWN], axis=1) / np.arange(1, s.most + 1)
        for n in range(1, s.most + 1):
            means = X[:, :n].mean(axis=1)
            steps = np.append(at[at < n], n)
            walks = [
                {"p": np.column_stack([steps, path[steps - 1]]).round(4).tolist(), "role": "faint"} for path in paths
            ]
            z = (means - mean) * np.sqrt(n) / sd
            share = float((np.abs(means - mean) > s.epsilon).mean())
            bounds = {
                "chebyshev": chebyshev(n, s.epsilon, variance=variance),
                "hoeffding": hoeffding(n, s.epsilon, two_sided=True),
                "bernstein": bernstein(n, s.epsilon, variance=variance, bound=far, two_sided=True),
            }
            best = min(bounds, key=lambda name: bounds[name])
            drawn = {
                **fixed,
                "means": np.column_stack([np.full(DRAWN, float(n)), means[:DRAWN]]),
                "lines": [{"p": [[0, mean], [s.most, mean]], "role": "truth"}, *tube, *walks],
                "observed": np.histogram(z, edges)[0] / (RUNS * (edges[1] - edges[0])),
            }
            values = {
                "share": share,
                **bounds,
                "normal": float(2 * Normal(0.0, 1.0).cdf(-s.epsilon * np.sqrt(n) / sd)),
                "tightest": bounds[best],
                "shell_here": float(curse.shell[s.dimensions - 1]),
            }
            said = {"n": n, "share": share, "bound": bounds[best]}
            yield Frame(n, values, drawn, (best, said))

    def script(self, s: State, n: int, part: str) -> str:
        mean, _ = self.facts(s)
        drawn = DISTRIBUTIONS[s.distribution].format(size=(RUNS, s.most), p=s.p)
        return python_script(
            [
                f"generator = np.random.default_rng({s.seed})",
                f"X = {drawn}",
                f"means = X[:, :{n}].mean(axis=1)",
                f"print(float((np.abs(means - {mean!r}) > {s.epsilon!r}).mean()))",
            ]
        )
