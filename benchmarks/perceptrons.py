"""Multilayer perceptrons against scikit-learn and eager PyTorch: the same network, start, batches and epochs on two threads.

Quality: the loss of the last epoch, which the three must agree on, since all begin from the same weights.
"""

import warnings

import numpy as np
import sklearn.neural_network as theirs
from sklearn.exceptions import ConvergenceWarning

from benchmarks.harness import Case
from novum import neural_network as ours

EPOCHS = 4
ROWS = (1_800, 25_000, 100_000)  # as many as there are digits, and on
COLUMNS, CLASSES = 100, 10


def rows(n, dtype):
    """Return rows of ten overlapping classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, COLUMNS)).astype(dtype)
    scores = X @ rng.normal(size=(COLUMNS, CLASSES)) + 3 * rng.normal(size=(n, CLASSES))
    return X, scores.argmax(axis=1)


def estimator(module, hidden, batch):
    """Return a fit that runs exactly so many epochs of Adam without shuffling."""

    def run(data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return (
                module.MLPClassifier(
                    hidden, batch_size=batch, max_iter=EPOCHS, shuffle=False, random_state=0, alpha=0.0
                )
                .fit(*data)
                .loss_
            )

    return run


def torch_loop(hidden, batch):
    """Return the bare loop of PyTorch from scikit-learn's start."""

    def run(data):
        import torch

        torch.set_num_threads(2)
        X, y = torch.from_numpy(data[0]), torch.from_numpy(data[1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            start = ours.MLPClassifier(hidden, max_iter=1, random_state=0, learning_rate_init=1e-300, shuffle=False)
            start.partial_fit(data[0][:50], data[1][:50], classes=range(CLASSES))
        layers = []
        for w, b in zip(start.coefs_, start.intercepts_):
            layer = torch.nn.Linear(*w.shape, dtype=X.dtype)
            layer.weight.data, layer.bias.data = torch.from_numpy(w.T.copy()), torch.from_numpy(b.copy())
            layers += [layer, torch.nn.ReLU()]
        net = torch.nn.Sequential(*layers[:-1])
        rule, loss_of = torch.optim.Adam(net.parameters(), lr=1e-3), torch.nn.CrossEntropyLoss()
        for _ in range(EPOCHS):
            total = 0.0
            for begin in range(0, len(X), batch):
                rule.zero_grad()
                loss = loss_of(net(X[begin : begin + batch]), y[begin : begin + batch])
                loss.backward()
                rule.step()
                total += loss.item() * len(X[begin : begin + batch])
        return total / len(X)

    return run


def case(hidden, batch, dtype):
    contestants = {
        "novum": estimator(ours, hidden, batch),
        "scikit-learn": estimator(theirs, hidden, batch),
        "PyTorch": torch_loop(hidden, batch),
    }
    what = f"Adam, {' x '.join(map(str, hidden))} units, batches of {batch}, {np.dtype(dtype).name}, {EPOCHS} epochs"
    bars = {"scikit-learn": 3.0, "PyTorch": 0.9}
    return Case(what, lambda n: rows(n, dtype), contestants, lambda loss, _: round(float(loss), 3), ROWS, bars)


CASES = [
    case(hidden, batch, dtype)
    for hidden in ((100,), (256, 256, 256))
    for batch in (32, 512)
    for dtype in (np.float32, np.float64)
]
