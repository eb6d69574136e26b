"""Gram matrices and gradients against scikit-learn, strings against plain Python, graphs against GraKeL; quality: their sums."""

from collections import Counter

import networkx as nx
import numpy as np
from sklearn.gaussian_process import kernels as sklearn_kernels

from benchmarks.harness import Case
from novum import kernels

COLUMNS, LETTERS, WORD = 8, 300, 6
SCALES = np.linspace(0.5, 2.0, COLUMNS)


def points(n):
    return np.random.default_rng(0).standard_normal((n, COLUMNS))


def texts(n):
    rng = np.random.default_rng(0)
    return ["".join(rng.choice(list("ACGT"), LETTERS)) for _ in range(n)]


def graphs(n):
    found = [nx.gnp_random_graph(30, 0.1, seed=seed) for seed in range(n)]
    for graph in found:
        nx.set_node_attributes(graph, {v: v % 3 for v in graph}, "label")
    return found


def process(module):
    return 2.0 * module.RBF(SCALES) + (module.White if module is kernels else module.WhiteKernel)(0.1)


def ours_trace(X):
    return process(kernels).gradient_trace(X, vectors=X[:, :1])


def sklearn_trace(X):
    _, slopes = process(sklearn_kernels)(X, eval_gradient=True)
    return np.einsum("i,j,ijs->s", X[:, 0], X[:, 0], slopes, optimize=True)


def plain_spectrum(words):
    counts = [Counter(word[i : i + WORD] for i in range(len(word) - WORD + 1)) for word in words]
    K = np.empty((len(words), len(words)))
    for i, a in enumerate(counts):
        for j, b in enumerate(counts[: i + 1]):
            K[i, j] = K[j, i] = sum(count * b[word] for word, count in a.items() if word in b)
    return K


def grakel_graphs(found):
    from grakel import VertexHistogram, WeisfeilerLehman, graph_from_networkx

    kernel = WeisfeilerLehman(n_iter=4, base_graph_kernel=VertexHistogram)
    return kernel.fit_transform(graph_from_networkx(found, node_labels_tag="label"))


def size(result, data):
    return float(f"{np.abs(result).sum():.8g}")


CASES = [
    Case(
        "Gram matrix, RBF with 8 length scales",
        points,
        {"novum": lambda X: process(kernels)(X), "scikit-learn": lambda X: process(sklearn_kernels)(X)},
        size,
        (500, 1000, 4000),
        {"scikit-learn": 2.0},
    ),
    Case(
        "weighted sum of kernel gradients, 10 parameters",
        points,
        {"novum": ours_trace, "scikit-learn": sklearn_trace},
        size,
        (500, 1000, 2000),
        {"scikit-learn": 5.0},
    ),
    Case(
        "spectrum kernel, words of 6 letters",
        texts,
        {"novum": lambda words: kernels.Spectrum(WORD)(words), "plain Python": plain_spectrum},
        size,
        (100, 200, 400),
        {"plain Python": 10.0},
    ),
    Case(
        "Weisfeiler-Lehman kernel, 4 rounds",
        graphs,
        {"novum": lambda found: kernels.WeisfeilerLehman(4)(found), "GraKeL": grakel_graphs},
        size,
        (100, 200, 400),
        {"GraKeL": 10.0},
    ),
]
