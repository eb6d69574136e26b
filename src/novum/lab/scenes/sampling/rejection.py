"""Draws from a density that is drawn by hand: darts under an envelope, weighted draws, or the inverse distribution function."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from novum.lab.calls import literal, python_script
from novum.lab.controls import Choice, Matrix, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, number, plane

LOW, HIGH = -4.0, 4.0
CORNERS = (
    (-3.5, 0.0),
    (-2.5, 0.5),
    (-1.5, 1.2),
    (-0.6, 0.5),
    (0.2, 0.25),
    (1.2, 0.6),
    (2.0, 0.8),
    (2.8, 0.2),
    (3.6, 0.0),
)
GRID = np.linspace(LOW, HIGH, 801)
EDGES = np.linspace(LOW, HIGH, 17)
FEW = 30  # kept draws in several dimensions
LEAST_RATE = 5e-4  # below which those are not waited for
DENSITY = "density = lambda x: np.interp(x, {0}, {1}, left=0.0, right=0.0)"


class Darts(Scene):
    name = "rejection"
    family = "sampling"
    rows = (
        "002/P2.4/rejection-sampling",
        "002/P2.4/importance-sampling",
        "002/P2.4/inverse-cdf-continuous",
        "002/P2.4/plot-rejection",
    )
    method = Choice(("rejection", "importance", "inverse"), "rejection")
    proposal = Choice(("uniform", "normal"), "uniform", hidden_when={"method": "inverse"})
    width = Slider(0.3, 6.0, 2.0, hidden_when={"proposal": "uniform"})
    slack = Slider(1.0, 10.0, 1.2, log=True, hidden_when={"method": ["importance", "inverse"]})
    n = Slider(5, 500, 150, integer=True)
    dimensions = Slider(1, 10, 5, integer=True, hidden_when={"method": ["importance", "inverse"]})
    corners = Matrix(9, 2, -4.0, 4.0, default=CORNERS, drag="plane")
    views = (
        plane(
            points="points", classes="kept", sizes="areas", lines="lines", segments="newest", crosses="corners_now",
            drag="corners", domain="box",
        ),
        number("worth", r"\frac{1}{k Z} \approx \frac{\text{kept}}{\text{proposed}}"),
        number("normalizer"),
        bars(values="counts", labels="bins"),
        bars(id="by_dimension", values="rates", labels="dimension_names", domain="unit"),
        curve(series=[{"value": "worth", "label": "value.worth"}]),
    )  # fmt: skip

    def shape(self, s: State) -> tuple[Any, Any]:
        """Return the corners of the density, from left to right."""
        corners = np.array(s.corners)[np.argsort([corner[0] for corner in s.corners], kind="stable")]
        return corners[:, 0], np.maximum(corners[:, 1], 0.0)

    def check(self, s: State) -> None:
        at, heights = self.shape(s)
        if np.interp(GRID, at, heights, left=0.0, right=0.0).max() <= 0:
            raise Refusal("corners: the density is zero everywhere; drag a corner up.", "corners")

    def density(self, s: State) -> Callable[[Any], Any]:
        at, heights = self.shape(s)
        return lambda x: np.interp(x, at, heights, left=0.0, right=0.0)

    def proposer(self, s: State) -> Any:
        from novum.distributions import Normal, Uniform

        return Uniform(LOW, HIGH) if s.proposal == "uniform" else Normal(0.0, s.width**2)

    def bound(self, s: State) -> float:
        """Return the least k whose envelope lies above the density on a grid, times the slack and a little more."""
        ratio = self.density(s)(GRID) / np.exp(self.proposer(s).log_prob(GRID))
        return float(s.slack * 1.001 * ratio.max())

    def frames(self, s: State) -> Iterator[Frame]:
        density = self.density(s)
        heights = density(GRID)
        top = float(heights.max())
        fixed = {
            "corners_now": np.array(s.corners),
            "box": [[LOW, HIGH], [-0.05 * top, 1.15 * top if s.method != "rejection" else 1.15 * self.roof(s, top)]],
            "bins": [f"{(a + b) / 2:.2f}" for a, b in pairwise(EDGES)],
            "unit": [0, 1],
            "rates": [],
            "dimension_names": [],
            "newest": [],
        }
        steps = {"rejection": self.darts, "importance": self.weighted, "inverse": self.inverted}[s.method]
        yield from steps(s, density, heights, fixed)

    def roof(self, s: State, top: float) -> float:
        """Return how high the picture must be for the envelope."""
        return max(top, float(self.bound(s) * np.exp(self.proposer(s).log_prob(GRID)).max()))

    def darts(self, s: State, density: Callable[[Any], Any], heights: Any, fixed: Any) -> Iterator[Frame]:
        from novum.sampling import rejection_sample

        proposal, bound = self.proposer(s), self.bound(s)
        found = rejection_sample(density, proposal, s.n, bound=bound, random_state=s.seed)
        envelope = bound * np.exp(proposal.log_prob(GRID))
        lines = [line(heights, "now"), line(envelope, "margin")]
        darts = np.column_stack([found.proposals, found.heights])
        kept = found.heights < density(found.proposals)
        for n in range(1, len(darts) + 1):
            if n > 100 and n % 10 and n < len(darts):
                continue
            last = n == len(darts)
            rates = self.rates(s, density, bound, found.acceptance_rate) if last else []
            worth = float(kept[:n].mean())
            drawn = {
                "points": darts[:n],
                "kept": np.where(kept[:n], 2, 3),
                "areas": [],
                "lines": lines,
                "counts": np.histogram(found.proposals[:n][kept[:n]], EDGES)[0],
                "rates": rates,
                "dimension_names": [str(d + 1) for d in range(len(rates))],
            }
            x, height = map(float, darts[n - 1])
            said = {"n": n, "x": x, "height": height, "worth": worth, "kept": int(kept[:n].sum())}
            values = {"worth": worth, "normalizer": bound * worth}
            say = "done" if last and n == found.n_proposed else "kept" if kept[n - 1] else "refused"
            yield Frame(n, values, {**fixed, **drawn}, (say, said))

    def rates(self, s: State, density: Callable[[Any], Any], bound: float, rate: float) -> list[float | None]:
        """Return the share that is kept of the same game in 1, 2, ... dimensions; None where it would take too long."""
        from novum.sampling import rejection_sample

        made: list[float | None] = []
        proposal = self.proposer(s)
        for d in range(1, s.dimensions + 1):
            if rate**d < LEAST_RATE:
                made.append(None)
                continue
            pair = (
                lambda n, rng, d=d: proposal.sample(n * d, random_state=rng).reshape(n, d),
                lambda x: proposal.log_prob(x).sum(axis=-1),
            )
            found = rejection_sample(lambda x: density(x).prod(axis=-1), pair, FEW, bound=bound**d, random_state=s.seed)
            made.append(float(found.acceptance_rate))
        return made

    def weighted(self, s: State, density: Callable[[Any], Any], heights: Any, fixed: Any) -> Iterator[Frame]:
        proposal = self.proposer(s)
        area = float(heights.mean() * (HIGH - LOW))
        lines = [line(heights, "now"), line(area * np.exp(proposal.log_prob(GRID)), "margin")]
        for n in sizes_to(s.n):
            found = self.importance(s, density, n)
            worth = float(found.effective_size) / n
            draws = found.samples
            drawn = {
                "points": np.column_stack([draws, np.zeros(n)]),
                "kept": np.full(n, 2),
                "areas": found.weights / found.weights.max(),
                "lines": lines,
                "newest": [[x, 0, x, h] for x, h in zip(draws[-1:].tolist(), density(draws[-1:]).tolist())],
                "counts": np.histogram(draws, EDGES, weights=n * found.weights)[0],
            }
            said = {"n": n, "ess": float(found.effective_size), "largest": float(found.weights.max())}
            values = {"worth": worth, "normalizer": float(np.exp(found.log_normalizer))}
            yield Frame(n, values, {**fixed, **drawn}, ("weighted", said))

    def importance(self, s: State, density: Callable[[Any], Any], n: int) -> Any:
        from novum.sampling import importance_sample

        def log_prob(x: Any) -> Any:
            with np.errstate(divide="ignore"):
                return np.log(density(x))

        return importance_sample(log_prob, self.proposer(s), n_samples=n, random_state=s.seed)

    def inverted(self, s: State, density: Callable[[Any], Any], heights: Any, fixed: Any) -> Iterator[Frame]:
        from novum.sampling import inverse_cdf

        table = np.concatenate([[0.0], np.cumsum((heights[1:] + heights[:-1]) / 2)])
        table /= table[-1]
        u = np.random.default_rng(s.seed).random(s.n)
        draws = inverse_cdf(lambda p: np.interp(p, table, GRID), u=u)
        top = float(heights.max())
        lines = [line(heights, "now"), line(table * top, "margin")]
        area = float(heights.mean() * (HIGH - LOW))
        for n in sizes_to(s.n):
            at, level = float(draws[n - 1]), float(u[n - 1]) * top
            drawn = {
                "points": np.column_stack([draws[:n], np.zeros(n)]),
                "kept": np.full(n, 2),
                "areas": [],
                "lines": lines,
                "newest": [[LOW, level, at, level], [at, level, at, 0.0]],
                "counts": np.histogram(draws[:n], EDGES)[0],
            }
            values = {"worth": float(len(draws[:n]) / n), "normalizer": area}
            yield Frame(n, values, {**fixed, **drawn}, ("inverted", {"n": n, "u": float(u[n - 1]), "x": at}))

    def script(self, s: State, n: int, part: str) -> str:
        at, heights = self.shape(s)
        proposal = f"Uniform({LOW}, {HIGH})" if s.proposal == "uniform" else f"Normal(0.0, {s.width**2!r})"
        made = [
            DENSITY.format(literal(at), literal(heights)),
            f"from novum.distributions import {proposal.partition('(')[0]}\nproposal = {proposal}",
        ]
        if s.method == "rejection":
            lines = [
                *made,
                "from novum.sampling import rejection_sample",
                f"found = rejection_sample(density, proposal, {s.n}, bound={self.bound(s)!r}, random_state={s.seed})",
                f"print(float((found.heights < density(found.proposals))[:{n}].mean()))",
            ]
        elif s.method == "importance":
            lines = [
                *made,
                "from novum.sampling import importance_sample",
                "log_prob = lambda x: np.log(density(x))",
                f"found = importance_sample(log_prob, proposal, n_samples={n}, random_state={s.seed})",
                f"print(float(found.effective_size) / {n})",
            ]
        else:
            lines = [
                made[0],
                "from novum.sampling import inverse_cdf",
                f"grid = np.linspace({LOW}, {HIGH}, {len(GRID)})",
                "heights = density(grid)",
                "table = np.concatenate([[0.0], np.cumsum((heights[1:] + heights[:-1]) / 2)])",
                "table /= table[-1]",
                f"u = np.random.default_rng({s.seed}).random({s.n})[:{n}]",
                "draws = inverse_cdf(lambda p: np.interp(p, table, grid), u=u)",
                f"print(len(draws) / {n})",
            ]
        return python_script(lines)


def line(values: Any, role: str) -> dict[str, Any]:
    """Return a function on the grid as a view draws it."""
    return {"p": np.column_stack([GRID[::4], values[::4]]).round(6).tolist(), "role": role}


def sizes_to(most: int) -> list[int]:
    """Return 1, 2, ... 40, then steps of a tenth, and the last."""
    made = list(range(1, min(most, 40) + 1))
    while made[-1] < most:
        made.append(min(most, int(made[-1] * 1.1) + 1))
    return made
