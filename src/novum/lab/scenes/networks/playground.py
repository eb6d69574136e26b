"""A multilayer perceptron on the plane, epoch by epoch: what every unit has learned, weights, and gradients by layer."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import Call, code_of, python_script
from novum.lab.controls import Choice, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.maps import level_map, pixel_centers
from novum.lab.points import Points, Preset
from novum.lab.presets import CIRCLES, MOONS, TOUCHING, XOR
from novum.lab.scene import Scene, State
from novum.lab.sources.passes import passes
from novum.lab.views import bars, curve, network, number, plane

UNIT_PIXELS = 12
EVERY = 5  # epochs between frames after the first hundred
PATIENT: dict[str, Any] = {"tol": 0.0, "n_iter_no_change": 10**6}  # every epoch that was asked for is made


class Spiral(Call):
    """Two arms around each other, written out, for there is no function that makes them."""

    def __init__(self, n: int, noise: float, seed: int) -> None:
        super().__init__("numpy.column_stack")
        self.n, self.noise, self.seed = n, noise, seed

    @property
    def imports(self) -> str:
        return (
            f"rng = np.random.default_rng({self.seed})\nside = np.arange({self.n}) % 2\n"
            f"turn = 3 * np.pi * np.sqrt(rng.uniform(0.05, 1, {self.n}))\nangle = turn + np.pi * side\n"
            f"noise = rng.normal(0, {self.noise / 8!r}, ({self.n}, 2))"
        )

    @property
    def code(self) -> str:
        return "turn[:, None] / 4 * np.column_stack([np.cos(angle), np.sin(angle)]) + noise, side"

    def __call__(self) -> tuple[NDArray, NDArray]:
        rng = np.random.default_rng(self.seed)
        side = np.arange(self.n) % 2
        turn = 3 * np.pi * np.sqrt(rng.uniform(0.05, 1, self.n))
        angle = turn + np.pi * side
        noise = rng.normal(0, self.noise / 8, (self.n, 2))
        return turn[:, None] / 4 * np.column_stack([np.cos(angle), np.sin(angle)]) + noise, side


SPIRAL = {"spiral": Preset(Spiral, ((-3.0, 3.0), (-3.0, 3.0)))}


class Playground(Scene):
    name = "playground"
    family = "networks"
    rows = (
        "000-c/16/mlp",
        "000-c/16/backprop",
        "004/4/xor-problem",
        "002/P1.A/plot-activations",
        "000-c/16/vanishing-gradient-diagnostic",
        "000-c/16/plot-mlp",
        "000-c/16/plot-learning-curves",
        "002/P1.4/plot-mlp-diagram",
        "004/4/network-diagram",
    )
    points = Points(
        "classes",
        presets={**XOR, **SPIRAL, **CIRCLES, **MOONS, **TOUCHING},
        n=Slider(10, 2000, 200, integer=True),
        noise=Slider(0.05, 1.5, 0.5),
        classes=2,
        least=4,
    )
    layers = Slider(1, 6, 2, integer=True)
    units = Slider(1, 8, 4, integer=True)
    activation = Choice(("tanh", "relu", "logistic"), "tanh")
    solver = Choice(("adam", "sgd"), "adam")
    rate = Slider(1e-4, 1.0, 0.02, log=True)
    batch = Slider(1, 200, 20, integer=True)
    l2 = Slider(0.0, 1.0, 0.0)
    l1 = Slider(0.0, 0.1, 0.0)
    epochs = Slider(1, 400, 40, integer=True)
    views = (
        plane(points="X", target="y", map="map", map_kind="level", editable=True, linked="points"),
        number("loss", r"-\frac{1}{n} \sum_i \ln p(y_i \mid x_i)"),
        number("unseen"),
        number("right"),
        network(layers="sizes", weights="weights", maps="maps", labels="names", gradients="gradients", span=2),
        curve(series=[{"value": "loss", "label": "value.loss"}, {"value": "unseen", "label": "value.unseen"}]),
        bars(values="gradients", labels="layer_names"),
        curve(
            id="activation",
            series=[{"array": "response", "label": "value.response"}, {"array": "slope", "label": "value.slope"}],
            x="sum",
        ),
    )

    def check(self, s: State) -> None:
        if len(set(s.points.y.tolist())) < 2:
            raise Refusal("points: both classes must have a point.", "points")

    def model(self, s: State, epochs: int) -> Any:
        from novum.neural_network import MLPClassifier

        return MLPClassifier(
            (s.units,) * s.layers,
            activation=s.activation,
            solver=s.solver,
            alpha=s.l2,
            l1=s.l1,
            batch_size=min(s.batch, len(s.points.X)),
            learning_rate_init=s.rate,
            max_iter=epochs,
            random_state=s.seed,
            **PATIENT,
        )

    def frames(self, s: State) -> Iterator[Frame]:
        from sklearn.metrics import log_loss

        X, y = s.points.X, s.points.y
        unseen = self.unseen(s)
        pixels = pixel_centers(s.points.domain, UNIT_PIXELS)
        fixed = {"X": X, "y": y, **self.shape(s), **activation_curves(s.activation)}
        before = None
        for step in passes(self.model(s, s.epochs), X, y):
            n, model = step.n, step.fitted
            if n == 0 or (n > 100 and n % EVERY and n < s.epochs):
                continue
            loss = float(log_loss(y, model.predict_proba(X)))
            report = model.gradient_report(X, y)
            drawn = {
                "map": level_map(partial(second_class, model), s.points.domain),
                "maps": unit_maps(model, pixels),
                "weights": [layer.round(4).tolist() for layer in model.coefs_],
                "gradients": report.weight_gradient,
            }
            values = {
                "loss": loss,
                "unseen": None
                if unseen is None
                else float(log_loss(unseen[1], model.predict_proba(unseen[0]), labels=[0, 1])),
                "right": float(model.score(X, y)),
                "ratio": float(report.ratio),
            }
            said = {"n": n, "loss": loss, "by": None if before is None else before - loss, "ratio": values["ratio"]}
            say = "first" if before is None else "better" if loss < before else "worse"
            yield Frame(n, values, {**fixed, **drawn}, (say, {**said, "by": abs(said["by"] or 0.0)}))
            before = loss

    def shape(self, s: State) -> dict[str, Any]:
        """Return the sizes of the layers, and names of units and layers."""
        inner = [f"h{layer + 1}.{unit + 1}" for layer in range(s.layers) for unit in range(s.units)]
        return {
            "sizes": [2, *[s.units] * s.layers, 1],
            "names": ["x", "y", *inner, "p"],
            "layer_names": [str(layer + 1) for layer in range(s.layers + 1)],
        }

    def unseen(self, s: State) -> tuple[NDArray, NDArray] | None:
        """Return rows that the same preset makes from the next seed; none where rows were drawn."""
        if "rows" in s.given["points"]:
            return None
        following = State({**s.given, "seed": s.seed + 1}, self.points)
        return following.points.X, following.points.y

    def script(self, s: State, n: int, part: str) -> str:
        return python_script(
            [
                s.points.code,
                "from novum.neural_network import MLPClassifier\nfrom sklearn.metrics import log_loss",
                f"model = {code_of(self.model(s, n))}.fit(X, y)",
                "print(float(log_loss(y, model.predict_proba(X))))",
            ]
        )


def second_class(model: Any, at: NDArray) -> NDArray:
    """Return the probability of class 1."""
    return model.predict_proba(at)[:, 1]


def unit_maps(model: Any, pixels: NDArray) -> NDArray:
    """Return what every unit says at every pixel as bytes about a middle, each in its own scale: inputs, hidden, output."""
    said = [*pixels.T, *(unit for layer in model.hidden_outputs(pixels) for unit in layer.T)]
    made = [128 + 127 * values / max(float(np.abs(values).max()), 1e-12) for values in said]
    made.append(255 * model.predict_proba(pixels)[:, 1])
    side = UNIT_PIXELS
    return np.clip(np.round(made), 0, 255).astype(np.uint8).reshape(len(made), side, side)


def activation_curves(name: str) -> dict[str, NDArray]:
    """Return an activation and its slope."""
    from novum.activations import get_activation

    function = get_activation(name)
    at = np.linspace(-5, 5, 101)
    value = function(at)
    return {"sum": at, "response": value, "slope": function.derivative(at)}
