r"""The spectrum kernel of strings and other sequences: words of k symbols, counted.

    k(x, z) = sum over words w of length k of c_w(x) c_w(z)                                                     (1)

c_w(x) counts the places where w stands in x: as k neighbors, or, with gaps, as k symbols in order within k + gaps neighbors, the
first of them at the place that is counted. A sequence shorter than k has no words, and its kernel with anything is zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

from novum import _core
from novum.exceptions import DataError
from novum.kernels.structured import Counted, objects_of
from novum.report.legends import draw_legend
from novum.report.result import Result
from novum.report.style import series
from novum.runtime.checks import check_count

__all__ = ["SharedWords", "Spectrum"]


@dataclass(frozen=True, repr=False)
class SharedWords(Result):
    """The words that two sequences share.

    Attributes
    ----------
    words : list
        In the order of the first sequence.
    first, second : list of int
        How often each stands in either sequence.
    value : float
        The kernel, the sum of the products.
    """

    words: list[Any]
    first: list[int]
    second: list[int]
    value: float
    _sequences: tuple[Any, Any]
    _places: tuple[list[Any], list[Any]]

    def _result_picture(self, ax: Any) -> None:
        """Draw both sequences, letters of shared words under colored bars, and lines between equal words."""
        color = {word: series(ax, k) for k, word in enumerate(self.words)}
        keys = {}
        for row, (sequence, places) in enumerate(zip(self._sequences, self._places)):
            for i, symbol in enumerate(sequence):
                ax.text(i, 1 - row, str(symbol), ha="center", va="center", family="monospace", fontsize=14)
            for level, (word, start, stop) in enumerate((w, a, b) for w, a, b in places if w in color):
                height = 1 - row + (0.18 + 0.06 * (level % 3)) * (1 if row == 0 else -1)
                (keys[word],) = ax.plot(
                    [start - 0.35, stop + 0.35], [height, height], color=color[word], lw=3, solid_capstyle="round"
                )
        for word, start, stop in self._places[0]:
            for other, begin, end in self._places[1]:
                if word == other:
                    ax.plot([(start + stop) / 2, (begin + end) / 2], [0.85, 0.15], color=color[word], lw=1, alpha=0.6)
        ax.set(xlim=(-1, max(map(len, self._sequences))), ylim=(-0.6, 1.6), title=f"shared words: k = {self.value:g}")
        ax.set_axis_off()
        draw_legend(ax, list(keys.values()), labels=["".join(map(str, word)) for word in keys])


class Spectrum(Counted):
    """Sequences compared by the words of k symbols that they share (1).

    Parameters
    ----------
    k : int, default=3
        Length of the words.
    gaps : int, default=0
        Symbols that a word may leave out between its first and its last.

    Notes
    -----
    X is a list of strings, or of lists of hashable tokens. `features(X)` gives the counts as a sparse matrix.

    Examples
    --------
    >>> from novum.kernels import Spectrum
    >>> kernel = Spectrum(3)
    >>> kernel(["banana"], ["ananas"]), kernel.normalized()(["banana"], ["ananas"]).round(6)
    (array([[5.]]), array([[0.833333]]))
    >>> print(kernel.compare("banana", "ananas"))
    Shared words: value 5
      words  first  second
      ana        2       2
      nan        1       1
    """

    def __init__(self, k: int = 3, gaps: int = 0) -> None:
        self.k = k
        self.gaps = gaps

    def _patterns(self) -> Any:
        """Return the places of words' symbols, counted from their first."""
        k, gaps = check_count("Spectrum", "k", self.k), check_count("Spectrum", "gaps", self.gaps, 0)
        rest = combinations(range(1, k + gaps), k - 1)
        return np.array([(0, *places) for places in rest], dtype=np.int32)

    def _counts(self, objects: Sequence[Any]) -> Any:
        patterns = self._patterns()
        symbols, ends = symbols_of(objects)
        bits = max(1, int(symbols.max(initial=0)).bit_length())
        pointer, column, count, vocabulary = _core.kernels.counts.words(symbols, ends, patterns, bits)
        return sparse.csr_matrix((count, column, pointer), shape=(len(objects), max(1, vocabulary)))

    def compare(self, first: str | Sequence[Any], second: str | Sequence[Any]) -> SharedWords:
        """Return the words that two sequences share; `.plot()` draws them."""
        patterns, places = self._patterns(), []
        for sequence in objects_of("Spectrum", [first, second]):
            found = []
            for start in range(len(sequence)):
                for offset in patterns[patterns[:, -1] + start < len(sequence)] + start:
                    word = tuple(sequence[i] for i in offset)
                    found.append(
                        ("".join(word) if isinstance(sequence, str) else word, int(offset[0]), int(offset[-1]))
                    )
            places.append(found)
        counts = [[word for word, _, _ in one] for one in places]
        words = [word for word in dict.fromkeys(counts[0]) if word in counts[1]]
        times = [[one.count(word) for word in words] for one in counts]
        value = float(sum(a * b for a, b in zip(*times)))
        return SharedWords(words, times[0], times[1], value, (first, second), (places[0], places[1]))

    def __repr__(self) -> str:
        return f"Spectrum(k={self.k}" + (f", gaps={self.gaps})" if self.gaps else ")")

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        window = f" within {self.k + self.gaps}" if self.gaps else ""
        return f"sum over words w of {self.k} symbols{window} of count(w in x) count(w in z)"


def symbols_of(objects: Sequence[Any]) -> tuple[Any, Any]:
    """Return all symbols one behind the other as numbers, and where every sequence ends."""
    for place, one in enumerate(objects):
        if not isinstance(one, str | list | tuple | np.ndarray):
            raise DataError(
                f"Spectrum: X[{place}] is {type(one).__name__}, not a string or a list of tokens; convert it, for example by str()."
            )
    ends = np.cumsum([len(one) for one in objects], dtype=np.int64)
    if all(isinstance(one, str) for one in objects):
        text = "".join(objects)
        if text.isascii():
            codes = np.frombuffer(text.encode("ascii"), dtype=np.uint8)
            used = np.bincount(codes, minlength=128) > 0  # a small alphabet makes short keys
            return (np.cumsum(used) - 1).astype(np.uint32)[codes], ends
        return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32), ends
    number: dict[Any, int] = {}
    try:
        tokens = [number.setdefault(token, len(number)) for one in objects for token in one]
    except TypeError as error:
        raise DataError(f"Spectrum: tokens are compared by equality and must be hashable ({error}).") from None
    return np.array(tokens, dtype=np.uint32), ends
