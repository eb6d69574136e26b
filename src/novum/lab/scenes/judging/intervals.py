"""What an interval promises: sample after sample, how many intervals hold the truth, and how often the test rejects."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import python_script
from novum.lab.controls import Choice, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, intervals, number

BINS = 10  # of p-values
REACH = 5.0  # of the drawn statistic

DISTRIBUTIONS = {  # mean, standard deviation and the call that draws x
    "normal": (0.0, 1.0, "generator.normal(size={n})"),
    "uniform": (0.5, np.sqrt(1 / 12), "generator.uniform(size={n})"),
    "skewed": (1.0, 1.0, "generator.exponential(size={n})"),
    "coin": (None, None, "generator.random({n}) < {p!r}"),
}


class IntervalSteps(Scene):
    name = "intervals"
    family = "judging"
    rows = ("000-a/6/confidence-interval", "000-a/6/t-test", "000-a/6/fig-pvalue", "000-a/6/z-test")
    distribution = Choice(tuple(DISTRIBUTIONS), "normal")
    p = Slider(0.01, 0.99, 0.3, hidden_when={"distribution": ["normal", "uniform", "skewed"]})
    test = Choice(("t", "z"), "t", hidden_when={"distribution": "coin"})
    n = Slider(2, 200, 10, integer=True)
    level = Slider(0.51, 0.99, 0.95)
    effect = Slider(-2.0, 2.0, 0.0)
    samples = Slider(10, 200, 100, integer=True)
    views = (
        intervals(middle="middle", low="low", high="high", hit="hit", truth="truth"),
        number("coverage", r"\frac{1}{m} \sum_{j=1}^{m} \left[ \mu \in I_j \right]"),
        number("rejected"),
        number("power"),
        curve(
            series=[{"value": "coverage", "label": "value.coverage"}, {"value": "level", "label": "value.level", "role": "bound"}]
        ),
        curve(
            id="test",
            x="t",
            series=[{"array": "density", "label": "value.density"}, {"array": "tails", "label": "value.tails"}],
            marker="statistic",
        ),
        bars(id="p_values", values="p_counts", labels="p_bins"),
    )  # fmt: skip

    def check(self, s: State) -> None:
        if s.distribution == "coin" and not 0 < s.p + s.effect * np.sqrt(s.p * (1 - s.p)) < 1:
            raise Refusal(
                f"effect={s.effect:g}: the hypothesis would be no probability; take it closer to zero.", "effect"
            )

    def facts(self, s: State) -> tuple[Any, Any, Any]:
        """Return the true mean, the standard deviation, and the mean that the hypothesis says."""
        mean, deviation, _ = DISTRIBUTIONS[s.distribution]
        if s.distribution == "coin":
            mean, deviation = s.p, float(np.sqrt(s.p * (1 - s.p)))
        return mean, float(deviation), float(mean - s.effect * deviation)

    def draw(self, s: State, generator: np.random.Generator) -> NDArray:
        """Return a sample."""
        match s.distribution:
            case "normal":
                return generator.normal(size=s.n)
            case "uniform":
                return generator.uniform(size=s.n)
            case "skewed":
                return generator.exponential(size=s.n)
        return generator.random(s.n) < s.p

    def judge(self, s: State, x: NDArray) -> tuple[Any, Any]:
        """Return the test of a sample, and the interval."""
        from novum.evaluation import proportion_test, t_test, wilson_interval, z_test

        _, deviation, claimed = self.facts(s)
        if s.distribution == "coin":
            return proportion_test(int(x.sum()), s.n, proportion=claimed), tuple(
                wilson_interval(int(x.sum()), s.n, s.level)
            )
        found = z_test(x, mean=claimed, sigma=deviation) if s.test == "z" else t_test(x, mean=claimed)
        return found, found.interval(s.level)

    def frames(self, s: State) -> Iterator[Frame]:
        from scipy import stats

        from novum.evaluation import power, wilson_interval

        mean, _, claimed = self.facts(s)
        generator = np.random.default_rng(s.seed)
        statistics = stats.t(s.n - 1) if s.distribution != "coin" and s.test == "t" else stats.norm()
        at = np.linspace(-REACH, REACH, 201)
        density = statistics.pdf(at)
        kind = "proportion" if s.distribution == "coin" else s.test
        strength = power(
            kind, (claimed, mean) if s.distribution == "coin" else s.effect, max(s.n, 2), significance=1 - s.level
        )
        middle, low, high, p_values = [], [], [], []
        for k in range(1, s.samples + 1):
            x = self.draw(s, generator)
            found, ends = self.judge(s, x)
            middle.append(float(x.mean()))
            low.append(ends[0])
            high.append(ends[1])
            p_values.append(found.p_value)
            hit = np.array([a <= mean <= b for a, b in zip(low, high)])
            rejected = int((np.array(p_values) <= 1 - s.level).sum())
            share = wilson_interval(int(hit.sum()), k)
            drawn = {
                "middle": np.array(middle),
                "low": np.array(low),
                "high": np.array(high),
                "hit": hit,
                "t": at,
                "density": density,
                "tails": np.where(np.abs(at) >= abs(found.statistic), density, np.nan),
                "p_counts": np.histogram(p_values, BINS, (0, 1))[0].astype(float),
                "p_bins": [f"{b / BINS:.1f}" for b in range(BINS)],
            }
            statistic = float(np.clip(found.statistic, -REACH, REACH))
            values = {"coverage": float(hit.mean()), "rejected": rejected / k, "power": strength, "level": s.level}
            values |= {"truth": mean, "statistic": statistic}
            said = {"k": k, "low": ends[0], "high": ends[1], "hits": int(hit.sum()), "p": found.p_value}
            said |= {"from": share[0], "to": share[1]}
            yield Frame(k, values, drawn, ("held" if hit[-1] else "missed", said))

    def script(self, s: State, n: int, part: str) -> str:
        mean, deviation, _ = self.facts(s)
        drawn = DISTRIBUTIONS[s.distribution][2].format(n=s.n, p=s.p)
        if s.distribution == "coin":
            made, function = f"wilson_interval(int(x.sum()), {s.n}, {s.level!r})", "wilson_interval"
        elif s.test == "z":
            made, function = f"z_test(x, mean={mean!r}, sigma={deviation!r}).interval({s.level!r})", "z_test"
        else:
            made, function = f"t_test(x).interval({s.level!r})", "t_test"
        return python_script(
            [
                f"from novum.evaluation import {function}",
                f"generator = np.random.default_rng({s.seed})",
                "hits = []",
                f"for _ in range({n}):",
                f"    x = {drawn}",
                f"    low, high = {made}",
                f"    hits.append(low <= {mean!r} <= high)",
                "print(float(np.mean(hits)))",
            ]
        )
