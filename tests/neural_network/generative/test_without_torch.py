"""What needs no PyTorch works without it, and the rest says what is missing."""

import subprocess
import sys

import pytest

BLOCKED = """
import sys
class NoTorch:
    def find_spec(self, name, *_):
        if name.partition(".")[0] == "torch":
            raise ImportError("there is no torch here")
sys.meta_path.insert(0, NoTorch())
import numpy as np
from novum.neural_network import (GAN, Autoencoder, DeepBoltzmannMachine, GraphNetwork, RestrictedBoltzmannMachine,
    VariationalAutoencoder, computation_graph)
from novum.teaching import aggregate_neighbors
X = (np.random.RandomState(0).rand(20, 4) < 0.5).astype(float)
RestrictedBoltzmannMachine(2, max_epochs=1).fit(X).score_samples(X)
machine = DeepBoltzmannMachine((2, 2), pretrain_epochs=1, max_epochs=1).fit(X)
aggregate_neighbors([(0, 1)], [1, 2]), computation_graph([(0, 1)], 0, 2)
for model in (Autoencoder(), VariationalAutoencoder(), GAN()):
    repr(model)
    try:
        model.fit(X)
    except ImportError as error:
        assert "pip install 'novum[deep]'" in str(error) and type(model).__name__ in str(error), error
    else:
        raise AssertionError(model)
for needing in (lambda: GraphNetwork().fit([(0, 1)], [0, 1]), lambda: machine.encoder_with_head(2)):
    try:
        needing()
    except ImportError as error:
        assert "novum[deep]" in str(error)
    else:
        raise AssertionError
print("fine")
"""


def test_without_pytorch():
    done = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, text=True, check=False)
    assert done.stdout == "fine\n", done.stderr


def test_graphs_are_laid_out_by_networkx(monkeypatch):
    from novum.neural_network import plot_graph

    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match=r"pip install 'novum\[graph\]'"):
        plot_graph([(0, 1)])
