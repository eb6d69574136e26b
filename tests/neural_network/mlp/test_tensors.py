"""Tensors in, tensors out: the perceptrons take them as the arrays that they are."""

import numpy as np
import pytest

from novum.neural_network import FeedForwardGraph, MLPClassifier, MLPRegressor

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.deep, pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")]
X = np.random.default_rng(0).normal(size=(50, 3))
Y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 1)


@pytest.mark.parametrize(
    "model",
    [
        MLPClassifier((4,), max_iter=5, random_state=0),
        MLPRegressor((4,), max_iter=5, random_state=0),
        FeedForwardGraph(random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_tensor_is_an_array(model):
    if isinstance(model, MLPRegressor):
        model = MLPRegressor(hidden_layer_sizes=(4,), max_iter=5, random_state=0)
    expected = model.fit(X, Y).predict(X)
    found = model.fit(torch.tensor(X), torch.tensor(Y)).predict(torch.tensor(X))
    assert isinstance(found, torch.Tensor)
    np.testing.assert_array_equal(found.numpy(), expected)
    if hasattr(model, "predict_proba"):
        assert model.predict_proba(torch.tensor(X).float()).dtype == torch.float32


def test_the_same_network_in_pytorch_has_the_same_curve():
    """Same start, batches and rule: batch normalization, the losses and Adam are PyTorch's to rounding."""
    for batch_norm in (False, True):
        options = {"hidden_layer_sizes": (6, 5), "activation": "tanh", "alpha": 0.0, "shuffle": False, "batch_size": 10}
        start = MLPClassifier(**options, batch_norm=batch_norm, random_state=0, learning_rate_init=1e-300)
        start.partial_fit(X[:10], Y[:10], classes=[0, 1, 2])
        layers = []
        for l, (w, b) in enumerate(zip(start.coefs_, start.intercepts_)):
            norm = batch_norm and l < 2
            layer = torch.nn.Linear(*w.shape, bias=not norm, dtype=torch.float64)
            layer.weight.data = torch.tensor(w.T.copy())
            if not norm:
                layer.bias.data = torch.tensor(b)
            layers.append(layer)
            if norm:
                layers.append(torch.nn.BatchNorm1d(len(b), dtype=torch.float64))
                layers[-1].bias.data = torch.tensor(b)
            layers.append(torch.nn.Tanh())
        net = torch.nn.Sequential(*layers[:-1])
        rule, loss_of = torch.optim.Adam(net.parameters(), lr=0.01), torch.nn.CrossEntropyLoss()
        losses = []
        for _ in range(8):
            total = 0.0
            for begin in range(0, 50, 10):
                rule.zero_grad()
                loss = loss_of(net(torch.tensor(X[begin : begin + 10])), torch.tensor(Y[begin : begin + 10]))
                loss.backward()
                rule.step()
                total += loss.item() * 10
            losses.append(total / 50)
        ours = MLPClassifier(**options, batch_norm=batch_norm, max_iter=8, random_state=0, learning_rate_init=0.01).fit(
            X, Y
        )
        np.testing.assert_allclose(ours.loss_curve_, losses, rtol=1e-4)  # epsilon is added after the correction there
        net.eval()
        with torch.no_grad():
            said = torch.softmax(net(torch.tensor(X)), 1).numpy()
        if not batch_norm:
            np.testing.assert_allclose(ours.predict_proba(X), said, atol=1e-4)
