r"""Networks from sequences to sequences: pairs to learn from, symbols in and the user's own symbols out.

loss = -sum_i w_i sum_t log p(y_it | y_i1 ... y_i,t-1, x_i) / sum_i w_i (|y_i| + 1),   END being the last of y_i          (1)
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Choice, Domain, Int, Null, Real
from novum.base.fitted import check_is_fitted
from novum.base.validation import check_weight
from novum.exceptions import DataError, DataWarning
from novum.fold.gathering import check_at_hand
from novum.neural_network.sequences.attention_map import AttentionMap
from novum.neural_network.sequences.base import SequenceNetwork, check_sequence_weight
from novum.neural_network.sequences.examples import SequenceExamples, select_sequences, teacher_forcing
from novum.neural_network.sequences.series import is_frame
from novum.neural_network.sequences.vocabulary import (
    END,
    PAD,
    SPECIAL,
    Packed,
    Vocabulary,
    kind_of,
    read_symbols,
)
from novum.neural_network.training.judging import Aim
from novum.report.numbers import counted
from novum.report.result import result
from novum.runtime.typing import Axes, Numbers, Rows, RowWeights, Target
from novum.runtime.warn import warn

__all__ = ["TRANSLATION", "Candidates", "Translator"]

TRANSLATION: dict[str, Domain] = {
    "label_smoothing": Real(0, 1, open="high"),
    "max_length": Null() | Int(1),
    "beam_width": Int(1),
    "length_penalty": Real(0),
    "unknown": Choice("error", "warn"),
}
DECODED_AT_ONCE = 1024  # sequences, beams counted one by one
SPARE = 8  # symbols that an answer may have beyond twice the longest target of the fit


@result
class Candidates(NamedTuple):
    """Answers to one sequence, best first, no two alike; of one that is cut, log p of what it shows."""

    sequence: list[Any]
    log_prob: NDArray[np.float64]


class Translator(SequenceNetwork):
    """Base of networks that learn pairs of sequences; derive and write `_network_config` and `_build`."""

    source_symbols_: list[Any]
    target_symbols_: list[Any]
    max_length_: int
    beam_width: int
    label_smoothing: float
    length_penalty: float
    max_length: int | None
    unknown: str

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags

    def _network_config(self) -> dict[str, Any]:
        """Return the part of the configuration that the kind of network adds."""
        raise NotImplementedError

    def _sources(self, X: Any, reset: bool = False) -> Packed:
        """Return sequences as numbers of source symbols."""
        owner = type(self).__name__
        read = read_symbols(list_of(X, owner, "X"), owner, "X", least=1)
        packed = Vocabulary(self.source_symbols_).encode(read, owner, "X", self.unknown)
        self._check_lengths(packed.lengths, reset)
        return packed

    def _targets(self, y: Any, reset: bool) -> Packed:
        """Return sequences as numbers of target symbols."""
        owner = type(self).__name__
        packed = Vocabulary(self.target_symbols_).encode(read_symbols(y, owner, "y"), owner, "y")
        if reset:
            self.max_length_ = int(self.max_length or 2 * packed.lengths.max() + SPARE)
        longest = max(int(packed.lengths.max()), self.max_length_ if reset else 0)
        self._check_lengths(np.array([longest + 1]), reset)
        return packed

    def _examples(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> SequenceExamples:
        owner = type(self).__name__
        if y is None:
            raise DataError(f"{owner} requires y to be passed, but the target y is None")
        X, y = list_of(X, owner, "X"), list_of(y, owner, "y")
        if len(X) != len(y):
            raise DataError(f"{owner}: X has {counted(len(X), 'sequence')} and y has {len(y)}; give pairs.")
        weight, used = check_sequence_weight(self, sample_weight, len(X))
        X, y = [X[k] for k in used], [y[k] for k in used]
        if reset:
            self.source_symbols_ = self._learned_symbols("source_symbols_", read_symbols(X, owner, "X", least=1))
            self.target_symbols_ = self._learned_symbols("target_symbols_", read_symbols(y, owner, "y"))
            self._target_kind = kind_of(y)
        source, target = self._sources(X, reset), self._targets(y, reset)
        inputs, outputs = teacher_forcing(target)
        return SequenceExamples([source, inputs, outputs], [], weight, None, outputs.lengths)

    def _config(self, examples: Any) -> dict[str, Any]:
        return {
            "source_symbols": self.source_symbols_,
            "target_symbols": self.target_symbols_,
            "n_source": len(SPECIAL) + len(self.source_symbols_),
            "n_target": len(SPECIAL) + len(self.target_symbols_),
            **self._network_config(),
        }

    def _loss(self, module: Any, batch: Any) -> Any:
        source, inputs, outputs, weight = batch
        return module(source, inputs.values, outputs.values, weight, self.label_smoothing if module.training else 0.0)

    def _judged(self, module: Any, batch: Any) -> Any:
        _, _, outputs, weight = batch
        said = outputs.values != PAD
        return self._loss(module, batch), [
            Aim(outputs.values[said], None if weight is None else weight[:, None].expand_as(said)[said])
        ]

    def _check_lengths(self, lengths: NDArray[np.int64], reset: bool) -> None:
        """Note the longest sequence where that matters, and refuse longer ones later."""

    def _sorted_sources(self, X: Any, most: int) -> tuple[SequenceExamples, NDArray]:
        """Return the sequences by length, `most` at once, and the place of each in X."""
        check_is_fitted(self)
        packed = self._sources(X)
        order = np.argsort(packed.lengths, kind="stable")
        return SequenceExamples([select_sequences(packed, order)], most=max(1, most)), order

    def candidates(self, X: Rows, beam_width: int | None = None) -> list[Candidates]:
        """Return the best answers to every sequence, with their log probabilities.

        Parameters
        ----------
        X : list of sequences
        beam_width : int, default=None
            Answers to follow; None: the parameter of that name.
        """
        from novum.neural_network.sequences.decoding import beam_search, greedy_search

        width = int(self.beam_width if beam_width is None else beam_width)
        if width < 1:
            raise DataError(f"{type(self).__name__}.candidates: beam_width={beam_width!r} must be 1 or more.")
        examples, order = self._sorted_sources(X, DECODED_AT_ONCE // width)
        longest, alpha = self.max_length_, float(self.length_penalty)

        def decoded(module: Any, batch: Any) -> Any:
            if width == 1:
                return greedy_search(module, batch[0], longest)
            return beam_search(module, batch[0], longest, width, alpha)

        words = Vocabulary(self.target_symbols_, self._target_kind)
        found: list[Any] = [None] * len(order)
        cut, places = 0, iter(order)
        for part in self._outputs(examples, decoded):
            symbols, log_prob, ended = (value.cpu() for value in part)
            cut += int((~ended[:, 0]).sum())
            for rows, scores in zip(symbols.tolist(), log_prob.double().numpy()):
                kept = np.flatnonzero(np.isfinite(scores))
                found[next(places)] = Candidates([words.decode(rows[k][:longest]) for k in kept], scores[kept])
        if cut:
            warn(
                f"{type(self).__name__}: {cut} of {len(order)} answers did not end within {longest} symbols and are cut there;"
                " train longer, or raise max_length.",
                DataWarning,
            )
        return found

    def predict(self, X: Rows) -> list[Any]:
        """Return the answer to every sequence, of the kind that y had in `fit`."""
        return [one.sequence[0] for one in self.candidates(X)]

    def score(self, X: Rows, y: Target, sample_weight: RowWeights = None) -> float:
        """Return the share of sequences whose answer is y, symbol by symbol."""
        owner = type(self).__name__
        y = read_symbols(y, owner, "y")
        said = read_symbols(self.predict(X), owner, "X")
        if len(y) != len(said):
            raise DataError(f"{owner}: X has {counted(len(said), 'sequence')} and y has {len(y)}; give pairs.")
        return float(np.average([a == b for a, b in zip(said, y)], weights=check_weight(self, sample_weight, len(y))))

    def score_samples(self, X: Rows, y: Target) -> NDArray[np.float64]:
        """Return log p(y | x) of every pair."""
        import torch

        from novum.neural_network.sequences.decoding import symbol_log_prob

        def log_prob(module: Any, batch: Any) -> Any:
            source, inputs, outputs, _ = batch
            each = symbol_log_prob(module(source, inputs.values)).gather(2, outputs.values[..., None])[..., 0].double()
            inside = torch.arange(each.shape[1], device=each.device) < outputs.lengths[:, None]
            return torch.where(inside, each, 0.0).sum(dim=1)

        check_is_fitted(self)
        examples = self._examples(X, y, None, False)
        return np.asarray(torch.cat(self._outputs(examples, log_prob)).cpu().numpy())

    def attention_maps(self, X: Rows, y: Target = None) -> list[AttentionMap]:
        """Return where each symbol of an answer looked, for every sequence.

        Parameters
        ----------
        X : list of sequences
        y : list of sequences, default=None
            Outputs to look from; None: the answers of `predict`.
        """
        if not self._has_attention():
            raise DataError(f"{type(self).__name__} has no attention; fit it with attention='dot' or 'additive'.")
        y = self.predict(X) if y is None else y
        examples = self._examples(X, y, None, False)

        def maps(module: Any, batch: Any) -> Any:
            import torch

            kept: list[Any] = []
            module.logits(batch[0], batch[1].values, kept)
            return torch.stack(kept, dim=1).cpu().numpy()  # (n, layers, heads, T, S)

        owner = type(self).__name__
        sources, targets = read_symbols(X, owner, "X"), read_symbols(y, owner, "y")
        weights = [one for part in self._outputs(examples, maps) for one in part]
        return [
            AttentionMap(x, [*out, SPECIAL[END]], w[:, :, : len(out) + 1, : len(x)])
            for x, out, w in zip(sources, targets, weights)
        ]

    def _has_attention(self) -> bool:
        return True

    def plot_attention(
        self, x: Numbers, y: Target = None, *, layer: int | None = None, head: int | None = None, ax: Axes | None = None
    ) -> Any:
        """Draw where each symbol of the answer to one sequence looked; return the axes.

        Parameters
        ----------
        x : sequence
        y : sequence, default=None
            The output to look from; None: the answer of `predict`.
        layer, head : int, default=None
            None: the mean over all.
        ax : matplotlib axes, default=None
        """
        (found,) = self.attention_maps([x], None if y is None else [y])
        return found.plot(ax, layer=layer, head=head)


def list_of(sequences: Any, owner: str, name: str) -> list[Any]:
    """Return sequences in a list; what is none is refused."""
    check_at_hand(owner, "sequences", sequences)
    if is_frame(sequences):
        raise DataError(
            f"{owner}: {name} is a table; give the column with the sequences, {name}[{sequences.columns[0]!r}]."
        )
    if isinstance(sequences, str | bytes | dict) or not hasattr(sequences, "__iter__"):
        read_symbols(sequences, owner, name)
    found = list(sequences)
    if not found:
        raise DataError(f"{owner}: {name} has no sequence (0 samples); a minimum of 1 is required.")
    return found
