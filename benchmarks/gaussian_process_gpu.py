"""The exact marginal likelihood with all gradients on a GPU, in float64: `python benchmarks/gaussian_process_gpu.py [rows ...]`.

Prints the median of some evaluations for n = 5000, 10000, 20000 points in eight dimensions with a length scale each, a variance
and a noise: ten gradients. Bars on one H200: 20, 90 and 500 ms. The value and the gradient are compared with the compiled
kernels of the processor at n = 1000 first.
"""

import statistics
import sys
import time

import numpy as np
import torch

from novum.gaussian_process.evidence import log_evidence
from novum.gaussian_process.tensors import TensorProcess
from novum.kernels import RBF, White

COLUMNS, REPEATS, BARS = 8, 7, {5000: 20.0, 10000: 90.0, 20000: 500.0}


def data(n):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, COLUMNS))
    return X, np.sin(X.sum(axis=1))[:, None] + 0.1 * rng.standard_normal((n, 1))


def main(sizes):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(torch.cuda.get_device_name(device) if device.type == "cuda" else "no GPU: the processor's own times")
    kernel = 1.5 * RBF(np.linspace(1.0, 3.0, COLUMNS)) + White(0.05)
    X, Y = data(1000)
    value, gradient = TensorProcess(torch.as_tensor(X, device=device), Y, 1e-10).objective(kernel)(kernel.theta, True)
    expected = log_evidence(kernel, X, Y, 1e-10)
    error = max(
        abs(value / expected.value - 1), float(np.max(np.abs(gradient - expected.gradient) / np.abs(expected.gradient)))
    )
    print(f"largest relative difference from the processor, n = 1000: {error:.1e}")
    for n in sizes:
        X, Y = data(n)
        evidence = TensorProcess(torch.as_tensor(X, device=device), Y, 1e-10).objective(kernel)
        times = []
        for repeat in range(REPEATS + 2):  # the first two make handles and workspaces
            if device.type == "cuda":
                torch.cuda.synchronize()
            begin = time.perf_counter()
            evidence(kernel.theta, True)
            if device.type == "cuda":
                torch.cuda.synchronize()
            if repeat >= 2:
                times.append(1e3 * (time.perf_counter() - begin))
        bar = f", bar {BARS[n]:g} ms" if n in BARS else ""
        print(f"n = {n}: {statistics.median(times):.1f} ms{bar}")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or list(BARS))
