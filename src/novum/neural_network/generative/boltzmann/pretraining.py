"""The layers of a deep Boltzmann machine learned one by one, before all are learned together.

Each pair of neighbouring layers is a restricted machine whose weights count twice in the direction of a layer that will have
another neighbour (Salakhutdinov and Hinton 2009).
"""

import numpy as np
from numpy.typing import NDArray

from novum.neural_network.generative.boltzmann.layers import Layers
from novum.neural_network.generative.boltzmann.learning import (
    Learner,
    Settings,
    batches_of,
    first_machine,
    learn,
    still,
)
from novum.neural_network.generative.boltzmann.parameters import hidden_mean

__all__ = ["pretrained"]


def pretrained(
    rows: NDArray,
    weight: NDArray | None,
    sizes: list[int],
    max_epochs: int,
    settings: Settings,
    batch_size: int,
    rng: np.random.RandomState,
) -> Layers:
    """Return layers learned one by one, each a restricted machine on the means of the one below."""
    weights, biases, below = [], [], rows
    for k, size in enumerate(sizes):
        up = 1.0 if k == len(sizes) - 1 else 2.0  # a layer above will say as much again
        down = 1.0 if k == 0 else 2.0  # and so will the layer below of what is visible here
        here = settings._replace(up=up, down=down)
        machine = first_machine(size, below.shape[1], False, rng)
        if k == 0:
            share = np.clip(np.average(rows, axis=0, weights=weight), 0.01, 0.99)
            machine = machine._replace(visible=np.log(share / (1 - share)))  # units that are rarely on begin so
        learner = Learner(machine, still(machine), np.zeros((batch_size, size)))
        for _ in range(max_epochs):
            for batch in batches_of(rng.permutation(len(below)), batch_size):
                learner = learn(learner, below[batch], here, rng, None if weight is None else weight[batch])
        machine = learner.machine
        weights.append(machine.weight.T.copy())
        biases += [machine.visible, machine.hidden] if k == 0 else [machine.hidden]
        below = hidden_mean(machine._replace(weight=up * machine.weight), below)
    return Layers(weights, biases)
