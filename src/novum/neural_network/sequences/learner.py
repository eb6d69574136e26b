r"""Networks that read sequences and say one thing of each, or one thing of every step.

classes:  the mean of -log p(y | x) over sequences (or over all steps of all sequences), by weight                       (1)
numbers:  the mean of |y - f(x)|^2 over the same, with y brought to mean zero and variance one                           (2)
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d

from novum.base.domains import Bool, Choice, Domain
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassifierMixin, RegressorMixin
from novum.exceptions import DataError
from novum.neural_network.sequences.base import (
    SequenceNetwork,
    check_sequence_weight,
    class_codes,
    weighted_moments,
)
from novum.neural_network.sequences.examples import SequenceExamples, select_sequences
from novum.neural_network.sequences.series import as_list, holds_symbols, read_series
from novum.neural_network.sequences.vocabulary import Packed, Vocabulary, read_symbols
from novum.neural_network.training.judging import Aim
from novum.neural_network.training.targets import cross_entropy, squared_error
from novum.runtime import arrays
from novum.runtime.typing import Rows, RowWeights, Target

__all__ = ["READING", "SequenceClassifier", "SequenceLearner", "SequenceRegressor"]

LARGEST_TARGET = 1e150  # squares of larger ones overflow
READING: dict[str, Domain] = {
    "per_step": Bool(),
    "tokens": Choice("auto") | Bool(),
    "unknown": Choice("error", "warn"),
}


class SequenceLearner(SequenceNetwork):
    """What both kinds share: reading sequences, targets of sequences or steps, answers in the order that was given."""

    symbols_: list[Any] | None
    per_step: bool
    tokens: bool | str
    unknown: str

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        return tags

    def _read(self, X: Any, reset: bool) -> Packed:
        """Return sequences as numbers of symbols, or as vectors."""
        owner = type(self).__name__
        sequences = as_list(X, owner)
        if reset:
            symbols = holds_symbols(sequences, self.tokens)
            self.n_features_in_ = 1
            if symbols:
                self.symbols_ = self._learned_symbols("symbols_", read_symbols(sequences, owner, "X", least=1))
            else:
                self.symbols_ = None
        if self.symbols_ is not None:
            read = read_symbols(sequences, owner, "X", least=1)
            packed = Vocabulary(self.symbols_).encode(read, owner, "X", self.unknown)
        else:
            packed = read_series(sequences, owner, None if reset else self.n_features_in_)
            self.n_features_in_ = packed.values.shape[1]
        self._check_lengths(packed.lengths, reset)
        return packed

    def _codes(self, y: NDArray, weight: NDArray | None, reset: bool) -> NDArray:
        """Return targets, one per sequence or one per step of all sequences, as the network learns them."""
        raise NotImplementedError

    def _output_loss(self, outputs: Any, targets: Any, weight: Any) -> Any:
        raise NotImplementedError

    def _n_outputs(self) -> int:
        raise NotImplementedError

    def _network_config(self) -> dict[str, Any]:
        """Return the part of the configuration that the kind of network adds."""
        raise NotImplementedError

    def _examples(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> SequenceExamples:
        owner = type(self).__name__
        if y is None:
            raise DataError(f"{owner} requires y to be passed, but the target y is None")
        X = as_list(X, owner)
        targets, lengths = self._targets(y, len(X))
        weight, used = check_sequence_weight(self, sample_weight, len(X))
        packed = self._read([X[k] for k in used], reset)
        if lengths is None:
            codes = self._codes(targets[used], weight, reset)
            classes = codes if codes.ndim == 1 else None
            return SequenceExamples([packed], [codes], weight, classes)
        chosen = select_sequences(Packed(targets, lengths), used)
        wrong = np.flatnonzero(chosen.lengths != packed.lengths)
        if len(wrong):
            k = wrong[0]
            raise DataError(
                f"{owner}: sequence {used[k]} of X has {packed.lengths[k]} steps, and y has {chosen.lengths[k]} targets for it;"
                " with per_step=True every step has one."
            )
        each = None if weight is None else np.repeat(weight, chosen.lengths)
        steps = Packed(self._codes(chosen.values, each, reset), chosen.lengths)
        return SequenceExamples([packed, steps], [], weight, None, packed.lengths)

    def _targets(self, y: Any, n: int) -> tuple[NDArray, NDArray[np.int64] | None]:
        """Return the targets of all sequences, or those of all steps one after another and how many each sequence has."""
        owner = type(self).__name__
        y = arrays.to_numpy(y) if not isinstance(y, list | tuple) else y
        if len(y) != n:
            raise DataError(f"{owner}: X has {n} sequences and y has {len(y)} targets; give one for each.")
        if not self.per_step:
            if any(isinstance(one, list | tuple) for one in y) and len({np.shape(one) for one in y}) > 1:
                raise DataError(
                    f"{owner}: y has targets of unequal lengths; for a target at every step set per_step=True."
                )
            return np.asarray(y), None
        parts = [np.asarray(list(one) if isinstance(one, str) else one) for one in y]
        for place, one in enumerate(parts):
            if one.ndim == 0:
                raise DataError(
                    f"{owner}: with per_step=True, y holds a sequence of targets for each of X;"
                    f" y[{place}] is {y[place]!r}."
                )
        return np.concatenate(parts), np.array([len(one) for one in parts], dtype=np.int64)

    def _config(self, examples: Any) -> dict[str, Any]:
        config: dict[str, Any] = {
            "symbols": self.symbols_,
            "per_step": bool(self.per_step),
            "n_outputs": self._n_outputs(),
        }
        if self.symbols_ is None:
            steps, weight = examples.sequences[0], examples.row_weight
            weight = None if weight is None else np.repeat(weight, steps.lengths)
            mean, scale = weighted_moments(steps.values.astype(np.float64), weight)
            config |= {"mean": mean.tolist(), "scale": scale.tolist()}
        return config | self._network_config()

    def _outputs_of(self, module: Any, source: Any) -> Any:
        """Return the network's outputs; those of the steps that are there, (steps, outputs), where every step has its own."""
        outputs = module(source)
        return outputs[step_mask(source)] if self.per_step else outputs

    def _judged(self, module: Any, batch: Any) -> Any:
        source, target, weight = batch
        if self.per_step:
            inside = step_mask(source)
            aim = Aim(target.values[inside], None if weight is None else weight[:, None].expand_as(inside)[inside])
        else:
            aim = Aim(target, weight)
        return self._loss(module, batch), [aim]

    def _loss(self, module: Any, batch: Any) -> Any:
        source, target, weight = batch
        outputs = module(source)
        if self.per_step:  # padding has no weight: nothing is picked out, which would wait for the device
            inside = step_mask(source).float()
            weight = (inside if weight is None else inside * weight[:, None]).flatten()
            outputs, target = outputs.flatten(0, 1), target.values.flatten(0, 1)
        return self._output_loss(outputs, target, weight)

    def _answers(self, X: Any, function: Callable[[Any], Any]) -> Any:
        """Return `function(outputs)` for every sequence in the order of X; a list of arrays where every step has its own."""
        import torch

        check_is_fitted(self)
        packed = self._read(X, False)
        order = np.argsort(packed.lengths, kind="stable")
        examples = SequenceExamples([select_sequences(packed, order)])
        found = self._outputs(examples, lambda module, batch: function(self._outputs_of(module, batch[0])))
        flat = arrays.to_numpy(torch.cat(found))
        if not self.per_step:
            out = np.empty_like(flat)
            out[order] = flat
            return out
        steps = select_sequences(Packed(flat, packed.lengths[order]), np.argsort(order))
        return np.split(steps.values, np.cumsum(steps.lengths)[:-1])

    def _check_lengths(self, lengths: NDArray[np.int64], reset: bool) -> None:
        """Note the longest sequence where that matters, and refuse longer ones later."""


def step_mask(source: Any) -> Any:
    """Return True at the steps that sequences have, (n, steps)."""
    from novum.neural_network.transformer.attention import padding_mask

    return padding_mask(source.lengths, source.values.shape[1])


class SequenceClassifier(ClassifierMixin, SequenceLearner):
    """(1)."""

    classes_: NDArray
    per_step: bool

    def _codes(self, y: NDArray, weight: NDArray | None, reset: bool) -> NDArray:
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_, codes = class_codes(type(self).__name__, y, None if reset else self.classes_)
        return codes

    def _n_outputs(self) -> int:
        return len(self.classes_)

    def _output_loss(self, outputs: Any, targets: Any, weight: Any) -> Any:
        return cross_entropy(outputs, targets, weight)

    def predict_proba(self, X: Rows) -> Any:
        """Return the probability of every class: (n_samples, n_classes), or a list of (steps, n_classes)."""
        return self._answers(X, lambda outputs: outputs.double().softmax(dim=-1))

    def predict(self, X: Rows) -> Any:
        """Return the most probable class of every sequence, or a list of arrays with that of every step."""
        found = self._answers(X, lambda outputs: outputs.argmax(dim=-1))
        return [self.classes_[codes] for codes in found] if self.per_step else self.classes_[found]

    def score(self, X: Rows, y: Target, sample_weight: RowWeights = None) -> float:
        """Return the share of sequences, or of steps, whose class is right."""
        return score_of(self, super().score, X, y, sample_weight)


class SequenceRegressor(RegressorMixin, SequenceLearner):
    """(2)."""

    n_outputs_: int
    per_step: Any

    def _codes(self, y: NDArray, weight: NDArray | None, reset: bool) -> NDArray:
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y", estimator=self)
        values = y.reshape(len(y), -1)
        if np.abs(values).max() > LARGEST_TARGET:
            raise DataError(
                f"{type(self).__name__}: y holds {np.abs(values).max():.3g}, whose square is no number; scale y."
            )
        if reset:
            self.target_mean_, self.target_scale_ = weighted_moments(values, weight)
            self.n_outputs_ = values.shape[1]
            self._flat_target = y.ndim == 1
        if values.shape[1] != self.n_outputs_:
            raise DataError(
                f"{type(self).__name__}: y has {values.shape[1]} columns, and the fit saw {self.n_outputs_}."
            )
        return ((values - self.target_mean_) / self.target_scale_).astype(np.float32)

    def _n_outputs(self) -> int:
        return int(self.n_outputs_)

    def _output_loss(self, outputs: Any, targets: Any, weight: Any) -> Any:
        return squared_error(outputs, targets, weight)

    def predict(self, X: Rows) -> Any:
        """Return the value of every sequence, or a list of arrays with that of every step; with columns where y had any."""
        found = self._answers(X, lambda outputs: outputs.double())
        return [self._in_units(one) for one in found] if self.per_step else self._in_units(found)

    def _in_units(self, values: NDArray) -> NDArray:
        values = values * self.target_scale_ + self.target_mean_
        return values[:, 0] if self._flat_target else values

    def score(self, X: Rows, y: Target, sample_weight: RowWeights = None) -> float:
        """Return the coefficient of determination over sequences, or over all steps."""
        return score_of(self, super().score, X, y, sample_weight)


def score_of(model: Any, plain: Callable, X: Any, y: Any, sample_weight: Any) -> float:
    """Return scikit-learn's score of the answers, over all steps where every step has one."""
    if not model.per_step:
        return float(plain(X, y, sample_weight))
    from sklearn.metrics import accuracy_score, r2_score

    targets, lengths = model._targets(y, len(as_list(X, type(model).__name__)))
    weight = None if sample_weight is None else np.repeat(np.asarray(sample_weight), lengths)
    measure = accuracy_score if isinstance(model, ClassifierMixin) else r2_score
    return float(measure(targets, np.concatenate(model.predict(X)), sample_weight=weight))
