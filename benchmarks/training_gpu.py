"""Training a network through its estimator beside the bare loop of PyTorch, on a GPU: `python benchmarks/training_gpu.py`.

The same network, optimiser, batches and precision, from weights of the same seed; the time of an epoch, the median of several,
and the ratio. Bar on one H200: 1.05. Data lie on the device in both. The losses of the last epoch are printed beside.
"""

import statistics
import time
from itertools import pairwise

import numpy as np
import torch

from novum.neural_network import ConvNetClassifier, TorchClassifier

EPOCHS, ROWS = 9, 60_000


def dense(n_features, n_classes):
    sizes = [n_features, 512, 512, n_classes]
    layers = [torch.nn.Linear(sizes[0], sizes[1])]
    for a, b in pairwise(sizes[1:]):
        layers += [torch.nn.ReLU(), torch.nn.Linear(a, b)]
    return torch.nn.Sequential(*layers)


def bare(module, X, y, batch_size, rate, device):
    """Return the seconds of every epoch of a plain loop, and the last mean loss."""
    module = module.to(device).train()
    rows, codes = torch.as_tensor(X, device=device), torch.as_tensor(y, device=device)
    fused = {"fused": True} if device.type == "cuda" else {}
    optimizer = torch.optim.Adam(module.parameters(), lr=rate, **fused)
    times, loss = [], 0.0
    for _ in range(EPOCHS):
        begin = time.perf_counter()
        total = torch.zeros((), device=device)
        for index in torch.randperm(len(rows), device=device).split(batch_size):
            with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
                out = torch.nn.functional.cross_entropy(module(rows[index]).float(), codes[index])
            optimizer.zero_grad(set_to_none=True)
            out.backward()
            optimizer.step()
            total += out.detach() * len(index)
        loss = float(total) / len(rows)
        times.append(time.perf_counter() - begin)
    return times, loss


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(torch.cuda.get_device_name(device) if device.type == "cuda" else "no GPU: the processor's own times")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, ROWS)
    images = (rng.normal(size=(ROWS, 28, 28)) + 0.3 * y[:, None, None]).astype(np.float32)
    table = images.reshape(ROWS, -1)
    for batch_size in (128, 512, 2048):
        options = {
            "batch_size": batch_size,
            "max_epochs": EPOCHS,
            "patience": None,
            "learning_rate": 1e-3,
            "random_state": 0,
        }
        for name, model, X in [
            ("dense 784-512-512-10", TorchClassifier(dense, **options), table),
            ("convolutions 32, 64", ConvNetClassifier((32, 64), schedule="constant", **options), images),
        ]:
            torch.backends.cudnn.deterministic = True  # as in the estimator
            model.fit(X, y)
            theirs, loss = bare(
                model._build(model.config_), X[:, None] if X.ndim == 3 else X, y, batch_size, 1e-3, device
            )
            ours = statistics.median(model.history_["seconds"][1:])
            plain = statistics.median(theirs[1:])
            print(
                f"{name}, batch {batch_size}: estimator {1e3 * ours:.0f} ms an epoch, bare loop {1e3 * plain:.0f} ms,"
                f" ratio {ours / plain:.3f}; losses {model.history_[-1]:.4f} and {loss:.4f}"
            )


if __name__ == "__main__":
    main()
