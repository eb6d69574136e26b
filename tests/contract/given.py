"""What every estimator that learns from something else than a table of independent rows is given, and how it is tried elsewhere."""

from typing import Any, NamedTuple

import numpy as np
from contract.cases import briefly, without_a_table

__all__ = ["Given", "givens"]

METHODS = ("predict", "predict_proba", "decision_function", "score_samples", "transform", "reconstruct", "discriminate")
NO_DATA = {  # policies that learn from rewards, and samplers of a density
    *("EXP3", "EpsilonGreedy", "GibbsSampler", "Greedy", "HamiltonianMonteCarlo", "KLUCB", "LinUCB"),
    *("MetropolisHastings", "Softmax", "ThompsonSampling", "UCB1"),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "CategoricalHMM": {"n_components": 2, "n_features": 3, "random_state": 0, "n_init": 1},
    "GMMHMM": {"n_components": 2, "random_state": 0, "n_init": 1},
    "GaussianHMM": {"n_components": 2, "random_state": 0, "n_init": 1},
    "MultinomialHMM": {"n_components": 2, "random_state": 0, "n_init": 1},
    "HiddenMarkovModel": {"random_state": 0, "n_init": 1},
    "PoissonHMM": {"n_components": 2, "random_state": 0, "n_init": 1},
    "VariationalCategoricalHMM": {"n_components": 2, "n_features": 3, "random_state": 0, "n_init": 1},
    "VariationalGaussianHMM": {"n_components": 2, "random_state": 0, "n_init": 1},
}


class Given(NamedTuple):
    """A model and what it is fitted on: rows of numbers, or None for what no home of rows can hold."""

    model: Any
    X: np.ndarray | None
    y: np.ndarray | None = None
    target: bool = False  # whether y goes with the rows: into the file, cut into partitions

    def __repr__(self) -> str:
        return type(self.model).__name__


def series(columns: int = 2, n: int = 120) -> np.ndarray:
    """Return one long sequence of two regimes."""
    rng = np.random.default_rng(0)
    regime = np.repeat([0.0, 3.0, 0.0, 3.0], n // 4)[:, None]
    return rng.normal(size=(n, columns)) + regime


def codes(columns: int, n: int = 120) -> np.ndarray:
    """Return counts or codes of two regimes."""
    rng = np.random.default_rng(1)
    regime = np.repeat([0, 1, 0, 1], n // 4)[:, None]
    return np.minimum(rng.integers(0, 2, size=(n, columns)) + regime, 2)


ROWS = {
    **dict.fromkeys(("CategoricalHMM", "VariationalCategoricalHMM", "PoissonHMM"), codes(1)),
    "MultinomialHMM": codes(3) + 1,
    **dict.fromkeys(("GMMHMM", "GaussianHMM", "VariationalGaussianHMM", "HiddenMarkovModel"), series()),
    "LinearDynamicalSystem": series(1, 40),
    **dict.fromkeys(("ChowLiu", "ExactSearch", "HillClimb", "PC", "StructurePosterior"), codes(4)),
}


def networks() -> list[Given]:
    """Return the networks on PyTorch, small."""
    from contract.networks import SHORT
    from contract.networks import networks as listed

    short, found = {**SHORT, "max_epochs": 1, "random_state": 0}, []
    for name, model, arguments in listed():
        first, *others = arguments
        if name in ("Autoencoder", "VariationalAutoencoder", "GAN"):
            size = {"hidden": (3,)} | ({"discriminator_hidden": (3,)} if name == "GAN" else {})
            found.append(Given(model.set_params(**size, random_state=0), first))
        elif name in ("TorchClassifier", "TorchRegressor"):
            found.append(Given(model.set_params(module=linear, **short), first, others[0], target=True))
        elif name == "ConvNetClassifier":
            images = {
                "channels": (2,),
                "hidden": (2,),
                "pretrain_epochs": 0,
                "image_shape": (6, 6),
                "shift": 0,
                "random_state": 0,
            }
            found.append(Given(model.set_params(**images), first.reshape(len(first), -1), others[0], target=True))
        elif name == "MultiTaskNetwork":
            found.append(Given(model.set_params(hidden=(3,), random_state=0), first, others[0]))
        else:
            found.append(Given(model, None, others[0] if others else None))
    return found


def linear(n_features: int, n_outputs: int) -> Any:
    """Return a network without chance."""
    from torch import nn

    return nn.Linear(n_features, n_outputs)


def givens(deep: bool) -> list[Given]:
    """Return every public estimator that fits and takes no table; `deep` ones need PyTorch."""
    if deep:
        return networks()
    listed = dict(without_a_table())
    return [
        Given(briefly(name).set_params(**SETTINGS.get(name, {})), ROWS.get(name), y[0] if name == "FindS" else None)
        for name, (_, *y) in listed.items()
    ]
