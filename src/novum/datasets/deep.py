"""Inputs that are no table: images with an object anywhere, pairs of sequences, labelled graphs."""

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from novum.runtime.checks import check_choice, check_count, check_number
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Seed

__all__ = ["make_labelled_graphs", "make_sequence_pairs", "make_shifted_objects"]

SHAPES = {
    "cross": np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], dtype=np.float64),
    "ring": np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=np.float64),
    "diagonal": np.eye(3),
}
FIRST_WORD = 2  # 0 pads, 1 begins a sequence


def make_shifted_objects(
    n_samples: int = 200, *, size: int = 12, noise: float = 0.1, random_state: Seed = None, return_X_y: bool = False
) -> Any:
    """Return images that hold one of three shapes (a cross, a ring, a diagonal) at a random place.

    What matters is the shape, not the place: a convolutional network sees that from few examples, a dense one does not.

    Parameters
    ----------
    n_samples : int, default=200
    size : int, default=12
        Height and width in pixels.
    noise : float, default=0.1
        Standard deviation of every pixel.
    random_state : int, Generator, RandomState, SeedSequence or None
    return_X_y : bool, default=False
        Whether to give the pair (images flattened to rows, class).

    Examples
    --------
    >>> from novum.datasets import make_shifted_objects
    >>> shapes = make_shifted_objects(6, noise=0, random_state=0)
    >>> shapes.images.shape, shapes.images.sum(axis=(1, 2)).tolist()
    ((6, 12, 12), [5.0, 8.0, 3.0, 5.0, 8.0, 3.0])
    """
    owner = "make_shifted_objects"
    check_count(owner, "n_samples", n_samples)
    check_count(owner, "size", size, 3)
    check_number(owner, "noise", noise, 0)
    stream = Stream(seed_of(random_state))
    y = np.arange(n_samples) % len(SHAPES)
    corner = stream.integers("corner", 0, n_samples, size - 2, 2)
    images = np.zeros((n_samples, size, size))
    patterns = list(SHAPES.values())
    for image, kind, (i, j) in zip(images, y, corner):
        image[i : i + 3, j : j + 3] = patterns[kind]
    images += noise * stream.normal("noise", 0, n_samples, size * size).reshape(images.shape)
    flat = images.reshape(n_samples, -1)
    if return_X_y:
        return flat, y
    return Bunch(data=flat, target=y, images=images, corner=corner, target_names=list(SHAPES), DESCR="Shapes anywhere.")


def make_sequence_pairs(
    n_samples: int = 200, *, task: str = "reverse", n_words: int = 10, max_length: int = 8, random_state: Seed = None
) -> Bunch:
    """Return pairs of sequences of whole numbers: something to translate, with the answer.

    Parameters
    ----------
    n_samples : int, default=200
    task : {"copy", "reverse", "dictionary"}, default="reverse"
        The target repeats the source, reverses it, or replaces every word by another (a one-to-one dictionary, `dictionary` in
        the result) and swaps neighbours, as word order differs between languages.
    n_words : int, default=10
        Words are 2, ..., n_words + 1; 0 pads and 1 begins a sequence.
    max_length : int, default=8
        Lengths are uniform on 2, ..., max_length.
    random_state : int, Generator, RandomState, SeedSequence or None

    Returns
    -------
    Bunch
        `data` and `target` of shape (n_samples, max_length), padded with 0, and `lengths`.

    Examples
    --------
    >>> from novum.datasets import make_sequence_pairs
    >>> pairs = make_sequence_pairs(50, max_length=4, random_state=1)
    >>> row, n = pairs.data[0], pairs.lengths[0]
    >>> bool((pairs.target[0][:n] == row[:n][::-1]).all())
    True
    """
    owner = "make_sequence_pairs"
    check_choice(owner, "task", task, ("copy", "reverse", "dictionary"))
    check_count(owner, "n_samples", n_samples)
    check_count(owner, "n_words", n_words, 2)
    check_count(owner, "max_length", max_length, 2)
    stream = Stream(seed_of(random_state))
    lengths = 2 + stream.integers("length", 0, n_samples, max_length - 1)
    words = FIRST_WORD + stream.integers("word", 0, n_samples, n_words, max_length)
    source = np.where(np.arange(max_length) < lengths[:, None], words, 0)
    dictionary = np.append([0, 1], FIRST_WORD + stream.permutation("dictionary", 0, n_words))
    target = np.zeros_like(source)
    for row, answer, n in zip(source, target, lengths):
        said = row[:n]
        if task == "reverse":
            said = said[::-1]
        elif task == "dictionary":
            order = np.arange(n) ^ 1  # neighbours swap; the last word of an odd length stays
            said = dictionary[said[np.where(order < n, order, n - 1)]]
        answer[:n] = said
    return Bunch(data=source, target=target, lengths=lengths, dictionary=dictionary, task=task, DESCR="Sequence pairs.")


def make_labelled_graphs(
    n_samples: int = 100, *, n_nodes: int = 12, density: float = 0.15, random_state: Seed = None
) -> Bunch:
    """Return random graphs, half of which got a triangle planted (class 1); the others are free of triangles (class 0).

    A stand-in for molecules: the class depends on a small pattern, wherever it is.

    Parameters
    ----------
    n_samples : int, default=100
    n_nodes : int, default=12
    density : float, default=0.15
        Probability of an edge before the triangles are taken out.
    random_state : int, Generator, RandomState, SeedSequence or None

    Returns
    -------
    Bunch
        `adjacency` of shape (n_samples, n_nodes, n_nodes), symmetric zeros and ones; `nodes`, the degree of every node as its
        only feature; `target`.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.datasets import make_labelled_graphs
    >>> graphs = make_labelled_graphs(20, random_state=0)
    >>> triangles = np.trace(np.linalg.matrix_power(graphs.adjacency, 3), axis1=1, axis2=2) / 6
    >>> bool(((triangles > 0) == (graphs.target == 1)).all())
    True
    """
    owner = "make_labelled_graphs"
    check_count(owner, "n_samples", n_samples)
    check_count(owner, "n_nodes", n_nodes, 3)
    check_number(owner, "density", density, 0, 1)
    stream = Stream(seed_of(random_state))
    upper = np.triu(np.ones((n_nodes, n_nodes), dtype=bool), 1)
    drawn = stream.uniform("edge", 0, n_samples, n_nodes * n_nodes).reshape(n_samples, n_nodes, n_nodes) < density
    adjacency = (drawn & upper).astype(np.int64)
    adjacency += adjacency.transpose(0, 2, 1)
    for graph in adjacency:
        for i, j in zip(*np.nonzero(np.triu(graph))):
            if graph[i] @ graph[j]:  # a common neighbour closes a triangle
                graph[i, j] = graph[j, i] = 0
    y = np.arange(n_samples) % 2
    for row in np.flatnonzero(y):
        a, b, c = stream.permutation("triangle", int(row), n_nodes)[:3]
        for i, j in ((a, b), (b, c), (a, c)):
            adjacency[row, i, j] = adjacency[row, j, i] = 1
    return Bunch(
        adjacency=adjacency, nodes=adjacency.sum(axis=2)[..., None], target=y, DESCR="Graphs with a triangle or none."
    )
