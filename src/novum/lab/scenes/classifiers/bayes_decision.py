"""Bayes' decision, one candy at a time: beliefs about the bag, what the next candy may be, and which bet costs least."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import literal, python_script
from novum.lab.controls import Matrix, Refusal, Slider, Text
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, number

BAGS = 5
FLAVORS = ("cherry", "lime")
LETTERS = dict(zip("cl", FLAVORS))
MEASURED = np.linspace(-4.0, 4.0, 161)  # of a candy: what its flavor only makes more or less probable
SHADES = np.linspace(0.0, 1.0, 101)  # of P(lime), for the lines of the expected losses
LEAST = {"array": "least", "label": "value.least", "role": "truth"}


class CandySteps(Scene):
    name = "bayes-decision"
    family = "classifiers"
    rows = (
        *("002/P1.3/loss-matrix-decision", "004/2/expected-loss-decision", "001/3/candy-bags"),
        "001/3/posterior-plot",
    )
    bag = Slider(1, BAGS, 5, integer=True)
    draws = Slider(1, 40, 10, integer=True)
    own = Text(40, "")
    prior = Matrix(1, BAGS, 0.0, 1.0, default=[[0.1, 0.2, 0.4, 0.2, 0.1]], labels=[f"h{i + 1}" for i in range(BAGS)])
    loss = Matrix(2, 2, 0.0, 100.0, default=[[0.0, 5.0], [1.0, 0.0]], labels=list(LETTERS))
    views = (
        bars(id="beliefs", values="beliefs", labels="bags", marked="map"),
        number("risk", r"\min_j \sum_k L_{kj} \, p(k \mid x)"),
        number("lime"),
        number("threshold"),
        bars(id="losses", values="losses", labels="flavors", marked="bet"),
        curve(
            id="risks", x="shades", x_label="value.lime", marker="lime",
            series=[{"array": f"risk_{name}", "label": f"value.bet_{name}"} for name in FLAVORS],
        ),
        curve(
            id="densities", x="measured", x_label="value.x", marker="border",
            series=[*({"array": f"joint_{name}", "label": f"value.joint_{name}"} for name in FLAVORS), LEAST],
        ),
        curve(id="history", span=2, series=[{"value": f"h{i + 1}", "label": f"value.h{i + 1}"} for i in range(BAGS)]),
    )  # fmt: skip

    def check(self, s: State) -> None:
        if set(s.own.lower()) - set("cl "):
            raise Refusal(f"own={s.own!r}: write a candy by its letter, c for cherry and l for lime.", "own")
        if not sum(s.prior[0]) > 0:
            raise Refusal("prior: one bag at least must be possible.", "prior")
        (right_c, wrong_l), (wrong_c, right_l) = s.loss
        if not (wrong_l > right_c and wrong_c > right_l):
            raise Refusal("loss: a wrong bet must cost more than a right one of the same candy.", "loss")
        belief = self.beliefs(s)
        for n, candy in enumerate(self.candies(s), start=1):
            if belief.predictive(candy) == 0:
                control = "own" if s.own.strip() else "prior"
                raise Refusal(f"{control}: candy {n} ({candy}) comes from no bag that is still possible.", control)
            belief = belief.update(candy)

    def beliefs(self, s: State) -> Any:
        from novum.datasets import load_candy_bags
        from novum.decision_theory import HypothesisPosterior

        bags = load_candy_bags()
        table = [[1 - lime, lime] for lime in bags.lime]
        return HypothesisPosterior(np.array(s.prior[0]) / sum(s.prior[0]), table, list(FLAVORS), bags.hypotheses)

    def candies(self, s: State) -> list[str]:
        """Return the candies that are drawn: those written by hand, or from the true bag."""
        from novum.datasets import load_candy_bags

        written = s.own.lower().replace(" ", "")
        if written:
            return [LETTERS[letter] for letter in written]
        lime = load_candy_bags().lime[s.bag - 1]
        return [FLAVORS[int(u < lime)] for u in np.random.default_rng(s.seed).random(s.draws)]

    def measured(self, s: State) -> tuple[dict[str, Any], dict[str, float | None]]:
        """Return decisions by a measurement that two Gaussian densities share, as arrays and as numbers."""
        from novum.datasets import make_gaussian_classes
        from novum.decision_theory import LossMatrixClassifier
        from novum.naive_bayes import GaussianNB

        given: dict[str, Any] = {
            "means": [[-1.0], [1.0]],
            "covariances": [[[1.0]], [[1.0]]],
            "random_state": s.seed,
            "return_X_y": True,
        }
        model = LossMatrixClassifier(GaussianNB(), loss=s.loss).fit(*make_gaussian_classes(400, **given))
        at = MEASURED[:, None]
        joint = np.exp(model.estimator_.predict_joint_log_proba(at))
        decided = model.predict(at)
        arrays = {
            "measured": MEASURED,
            **{f"joint_{name}": joint[:, j] for j, name in enumerate(FLAVORS)},
            "least": joint.sum(axis=1) * model.expected_loss(at).min(axis=1),
        }
        turned = np.flatnonzero(decided[1:] != decided[:-1])
        border = float(MEASURED[turned[0] + 1]) if len(turned) else None
        return arrays, {"threshold": model.threshold(), "border": border}

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.decision_theory import expected_losses, least_loss

        belief, loss = self.beliefs(s), np.array(s.loss)
        lines = expected_losses(np.column_stack([1 - SHADES, SHADES]), loss)
        by_measure = self.measured(s)
        for n, candy in enumerate(["", *self.candies(s)]):
            if n:
                belief = belief.update(candy)
            lime = belief.predictive("lime")
            losses = expected_losses([[1 - lime, lime]], loss)[0]
            decision = least_loss([[1 - lime, lime]], loss)
            bet, best = int(decision.position[0]), int(belief.posterior.argmax())
            likelier, by_map = int(lime > 0.5), int(belief.map_predictive("lime") > 0.5)
            drawn = {
                "beliefs": belief.posterior,
                "bags": list(belief.hypotheses),
                "map": [best],
                "losses": losses,
                "flavors": list(LETTERS),
                "bet": [bet],
                "shades": SHADES,
                **{f"risk_{name}": lines[:, j] for j, name in enumerate(FLAVORS)},
                **by_measure[0],
            }
            values = {
                "risk": float(decision.risk[0]),
                "lime": float(lime),
                **by_measure[1],
                **{name: float(share) for name, share in zip(belief.hypotheses, belief.posterior)},
            }
            said = {
                "n": n,
                "candy": FLAVORS.index(candy) if candy else 0,
                "bag": best + 1,
                "belief": float(belief.posterior[best]),
                "lime": float(lime),
                "bet": bet,
                "risk": values["risk"],
                "other": float(losses[1 - bet]),
            }
            key = "start" if n == 0 else "dear" if bet != likelier else "map_wrong" if bet != by_map else "drawn"
            yield Frame(n, values, drawn, (key, said))

    def script(self, s: State, n: int, part: str) -> str:
        return python_script(
            [
                "from novum.datasets import load_candy_bags",
                "from novum.decision_theory import HypothesisPosterior, least_loss",
                "bags = load_candy_bags()\ntable = [[1 - lime, lime] for lime in bags.lime]",
                f"prior = np.array({s.prior[0]!r}) / sum({s.prior[0]!r})",
                f"belief = HypothesisPosterior(prior, table, {literal(list(FLAVORS))}, bags.hypotheses)",
                f"lime = belief.update({self.candies(s)[:n]!r}).predictive('lime')",
                f"print(float(least_loss([[1 - lime, lime]], {s.loss!r}).risk[0]))",
            ]
        )
