"""Training examples that are sequences: batches of like length, so that little is padded.

    teacher forcing:  the decoder reads START y_1 ... y_n and should say y_1 ... y_n END                                     (1)

An epoch shuffles all sequences, sorts those of `POOL` batches by length, cuts them into batches and shuffles these.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.neural_network.sequences.vocabulary import END, START, Packed
from novum.neural_network.training.examples import Examples

__all__ = ["Places", "SequenceExamples", "select_sequences", "teacher_forcing"]

POOL = 50  # batches that are sorted together: near enough in length, and still drawn at random


def teacher_forcing(targets: Packed) -> tuple[Packed, Packed]:
    """Return (1). The notes put END behind what is read too, which makes it longer than what is said; it is left out."""
    ends = np.cumsum(targets.lengths)
    before, lengths = ends - targets.lengths, targets.lengths + 1
    return (
        Packed(np.insert(targets.values, before, START), lengths),
        Packed(np.insert(targets.values, ends, END), lengths),
    )


def select_sequences(packed: Packed, index: NDArray) -> Packed:
    """Return some of the sequences, in the order of `index`."""
    starts = np.cumsum(packed.lengths) - packed.lengths
    lengths = packed.lengths[index]
    shift = starts[index] - (np.cumsum(lengths) - lengths)
    return Packed(packed.values[np.repeat(shift, lengths) + np.arange(lengths.sum())], lengths)


class Places(NamedTuple):
    """The places of a batch, on the host and on the device: copied there once an epoch, so that no step waits for it."""

    host: NDArray[np.int64]
    device: Any


class SequenceExamples(Examples):
    """Sequences, with what belongs to each; a batch is (batches of sequences ..., tensors ..., weights or None).

    Parameters
    ----------
    sequences : list of Packed
    columns : list of ndarray
        Of a row per example.
    row_weight : ndarray, default=None
    classes : ndarray, default=None
        The class of every example as a number.
    n_terms : ndarray, default=None
        Terms of the loss that an example has: its steps; None: one.
    most : int, default=None
        Examples at once where nothing is learned.
    """

    def __init__(
        self,
        sequences: list[Packed],
        columns: Sequence[NDArray] = (),
        row_weight: NDArray | None = None,
        classes: NDArray | None = None,
        n_terms: NDArray | None = None,
        most: int | None = None,
    ) -> None:
        self.sequences, self.columns, self.row_weight = sequences, list(columns), row_weight
        self.classes, self.n_terms, self.most = classes, n_terms, most
        self.tensors: tuple[Any, ...] = ()
        self.home: Any = "cpu"

    def __len__(self) -> int:
        return len(self.sequences[0].lengths)

    def part(self, index: NDArray) -> "SequenceExamples":
        """Return some of the examples."""
        weight, classes, terms = (
            None if column is None else column[index] for column in (self.row_weight, self.classes, self.n_terms)
        )
        chosen = [select_sequences(packed, index) for packed in self.sequences]
        return SequenceExamples(chosen, [c[index] for c in self.columns], weight, classes, terms, self.most)

    def to(self, device: Any) -> "SequenceExamples":
        """Return the examples with tensors on a device."""
        import torch

        from novum.neural_network.sequences.padding import Ragged

        twin = SequenceExamples(self.sequences, self.columns, self.row_weight, self.classes, self.n_terms, self.most)
        weight = None if self.row_weight is None else self.row_weight.astype(np.float32)
        columns = [None if c is None else torch.as_tensor(c, device=device) for c in (*self.columns, weight)]
        twin.home = device
        twin.tensors = ([Ragged(packed, device) for packed in self.sequences], columns)
        return twin

    def take(self, index: Places) -> tuple[Any, ...]:
        """Return one batch."""
        ragged, columns = self.tensors
        rest = [None if c is None else c[index.device] for c in columns]
        return (*(one.take(index.host, index.device) for one in ragged), *rest)

    def labels(self) -> NDArray | None:
        """Return the class of every example."""
        return self.classes

    def batches(self, rng: np.random.Generator | None, size: int) -> Sequence[Places]:
        """Return the places of every batch: near in length and shuffled by `rng`; in order where that is None."""
        import torch

        n, length = len(self), self.sequences[0].lengths
        order = np.arange(n) if rng is None else rng.permutation(n)
        shuffled = rng is not None and length.min() < length.max()
        if rng is None:
            size = min(size, self.most or size)
        elif shuffled:
            pools = [order[k : k + POOL * size] for k in range(0, n, POOL * size)]
            order = np.concatenate([pool[np.argsort(length[pool], kind="stable")] for pool in pools])
        cuts = [slice(k, k + size) for k in range(0, n, size)]
        on_device = torch.from_numpy(order).to(self.home)
        return [
            Places(order[cuts[k]], on_device[cuts[k]])
            for k in (rng.permutation(len(cuts)) if rng is not None and shuffled else range(len(cuts)))
        ]

    def weight(self, index: Places) -> float:
        """Return the weight of a batch's loss: the terms that it is the mean of."""
        terms = np.ones(len(index.host)) if self.n_terms is None else self.n_terms[index.host]
        return float(terms.sum() if self.row_weight is None else terms @ self.row_weight[index.host])
