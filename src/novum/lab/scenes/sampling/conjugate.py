"""Bayes with a conjugate prior: one datum after another moves the posterior from the prior to the data."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import python_script
from novum.lab.controls import Choice, Refusal, Slider, Text
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, graph, number

MOST = 150  # data
SPANS = {"bernoulli": (0.001, 0.999), "poisson": (0.01, 10.0), "normal": (-4.0, 4.0)}
OUTCOMES = {"bernoulli": range(2), "poisson": range(9), "normal": range(-3, 4)}


class Conjugate(Scene):
    name = "conjugate"
    family = "sampling"
    rows = ("000-a/7/beta-bernoulli", "002/P2.1/conjugate-table", "000-a/7/fig-bayes-mean")
    law = Choice(("bernoulli", "poisson", "normal"), "bernoulli")
    data = Text(600, "1 1 0 1 1 1 0 1")
    share = Slider(0.02, 0.98, 0.3, hidden_when={"law": ["poisson", "normal"]})
    rate = Slider(0.1, 8.0, 3.0, hidden_when={"law": ["bernoulli", "normal"]})
    center = Slider(-3.0, 3.0, -1.0, hidden_when={"law": ["bernoulli", "poisson"]})
    strength = Slider(0.5, 200.0, 6.0, log=True)
    views = (
        curve(
            id="densities",
            series=[
                {"array": "prior", "label": "value.prior"},
                {"array": "likelihood", "label": "value.likelihood"},
                {"array": "posterior", "label": "value.posterior"},
            ],
            x="theta",
        ),
        number("mean", r"E[\theta \mid D] = \frac{m}{m + n} E[\theta] + \frac{n}{m + n} \hat{\theta}"),
        number("mle"),
        number("sd"),
        number("log_evidence"),
        graph(nodes="coins", edges="none", pick="data", append=["data"]),
        bars(values="predictive", groups="predictives", group_labels="moments", labels="outcomes"),
        curve(
            series=[
                {"value": "mean", "label": "value.mean"},
                {"value": "mle", "label": "value.mle"},
                {"value": "before", "label": "value.before", "role": "truth"},
            ]
        ),
    )

    def observed(self, s: State) -> list[float]:
        """Return the data that are typed."""
        return [float(word) for word in s.data.replace(",", " ").split()]

    def check(self, s: State) -> None:
        words = s.data.replace(",", " ").split()
        if len(words) > MOST:
            raise Refusal(f"data: there are {len(words)} numbers; give at most {MOST}.", "data")
        for word in words:
            try:
                value = float(word)
            except ValueError:
                value = float("nan")
            fits = {
                "bernoulli": value in (0, 1),
                "poisson": value == round(value) and 0 <= value <= 50 if np.isfinite(value) else False,
                "normal": abs(value) <= 20,
            }[s.law]
            if not fits:
                wanted = {"bernoulli": "0 or 1", "poisson": "a count up to 50", "normal": "a number up to 20"}[s.law]
                raise Refusal(f"data={word!r}: must be {wanted}.", "data")

    def prior(self, s: State) -> tuple[Any, Any, str]:
        """Return the prior, the likelihood, and the lines of a script that make them."""
        from novum.distributions import Bernoulli, Beta, Gamma, Normal, Poisson

        m = s.strength
        if s.law == "bernoulli":
            a, b = m * s.share, m * (1 - s.share)
            code = f"from novum.distributions import Bernoulli, Beta\nprior, law = Beta({a!r}, {b!r}), Bernoulli"
            return Beta(a, b), Bernoulli, code
        if s.law == "poisson":
            code = f"from novum.distributions import Gamma, Poisson\nprior, law = Gamma({m * s.rate!r}, {m!r}), Poisson"
            return Gamma(m * s.rate, m), Poisson, code
        code = f"from novum.distributions import Normal\nprior, law = Normal({s.center!r}, {1 / m!r}), Normal(0.0, 1.0)"
        return Normal(s.center, 1 / m), Normal(0.0, 1.0), code

    def frames(self, s: State) -> Iterator[Frame]:
        prior, law, _ = self.prior(s)
        data = self.observed(s)
        theta = np.linspace(*SPANS[s.law], 241)
        values = np.array(list(OUTCOMES[s.law]), dtype=float)
        before = prior.predictive(law)
        fixed = {
            "theta": theta,
            "prior": np.exp(prior.log_prob(theta)),
            "none": [],
            "moments": ["label.before", "label.now"],
            "outcomes": [str(int(value)) for value in values],
        }
        places = {str(int(value)): (i + 0.5) / len(values) for i, value in enumerate(values)}
        for n in range(len(data) + 1):
            seen = np.array(data[:n])
            known = prior.update(seen, likelihood=law) if n else prior
            posterior = np.exp(known.log_prob(theta))
            likelihood = np.array([one_likelihood(s.law, at, seen) for at in theta])
            top = likelihood.max()
            counts = {name: float((seen == float(name)).sum()) for name in places}
            coins = [
                {"id": name, "x": x, "y": 0.3, "value": counts[name], "share": counts[name] / max(n, 1)}
                for name, x in places.items()
            ]
            now = np.exp(known.predictive(law).log_prob(values))
            drawn = {
                "posterior": posterior,
                "likelihood": likelihood * (posterior.max() / top),
                "coins": coins,
                "predictive": now,
                "predictives": np.array([np.exp(before.log_prob(values)), now]),
            }
            mle = float(seen.mean()) if n else None
            made = {
                "mean": float(known.mean),
                "mle": mle,
                "before": float(prior.mean),
                "sd": float(np.sqrt(known.var)),
                "log_evidence": float(prior.log_evidence(seen, likelihood=law)) if n else 0.0,
            }
            said = {"n": n, "mean": made["mean"], "sd": made["sd"], "m": s.strength}
            if n:
                said |= {"x": data[n - 1], "weight": s.strength / (s.strength + n)}
            yield Frame(n, made, {**fixed, **drawn}, ("datum" if n else "prior", said))

    def script(self, s: State, n: int, part: str) -> str:
        _, _, code = self.prior(s)
        known = f"prior.update(np.array({self.observed(s)[:n]!r}), likelihood=law)" if n else "prior"
        return python_script([code, f"known = {known}", "print(float(known.mean))"])


def one_likelihood(law: str, theta: float, seen: Any) -> float:
    """Return p(data | theta) up to a constant."""
    from novum.distributions import Bernoulli, Normal, Poisson

    if not len(seen):
        return 1.0
    made = {
        "bernoulli": lambda: Bernoulli(theta),
        "poisson": lambda: Poisson(theta),
        "normal": lambda: Normal(theta, 1.0),
    }
    return float(np.exp(made[law]().log_prob(seen).sum()))
