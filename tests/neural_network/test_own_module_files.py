"""A network of the user's own in a model file: its weights, and the name of its code, which the caller brings."""

import numpy as np
import pytest

import novum
from novum.exceptions import FileFormatError

pytestmark = pytest.mark.deep
X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)


def network(n_features, n_outputs):
    from torch import nn

    return nn.Sequential(nn.Linear(n_features, 5), nn.Tanh(), nn.Linear(5, n_outputs))


def larger(n_features, n_outputs):
    from torch import nn

    return nn.Sequential(nn.Linear(n_features, 6), nn.Tanh(), nn.Linear(6, n_outputs))


@pytest.mark.parametrize("name", ["TorchClassifier", "TorchRegressor"])
def test_saved_with_the_name_of_its_code(tmp_path, name, monkeypatch):
    import novum.neural_network as family

    y = np.where(X[:, 0] > 0, "yes", "no") if name == "TorchClassifier" else X[:, 0]
    model = getattr(family, name)(network, max_epochs=60, random_state=0).fit(X, y)
    path = novum.save(model, tmp_path / "model.novum")
    loaded = novum.load(path, module=network)
    assert np.array_equal(loaded.predict(X), model.predict(X)) and loaded.module is network and model.module is network
    with pytest.raises(FileFormatError, match=r"load it with novum.load\(path, module=network\)"):
        novum.load(path)
    with pytest.raises(FileFormatError, match=r"it was given .*larger"):
        novum.load(path, module=larger)
    monkeypatch.setattr(larger, "__qualname__", "network")
    with pytest.raises(FileFormatError, match="weights do not fit"):
        novum.load(path, module=larger)
