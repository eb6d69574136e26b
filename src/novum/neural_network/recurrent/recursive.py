r"""Recursive networks: one composition from the leaves of a tree to its root, with an answer there or at every node.

classes:  the mean of -log p(y | tree) over roots (or over all nodes of all trees), by weight                            (1)
numbers:  the mean of |y - f(tree)|^2 over the same, with y brought to mean zero and variance one                        (2)
"""

import os
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_array, column_or_1d

from novum.base.domains import Bool, Choice, Domain, Int, Real
from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError
from novum.fold.gathering import check_at_hand
from novum.neural_network.recurrent.tree_examples import TreeExamples
from novum.neural_network.recurrent.trees import JoinedTables, join_tables, read_tree
from novum.neural_network.sequences.base import (
    SequenceNetwork,
    check_sequence_weight,
    class_codes,
    weighted_moments,
)
from novum.neural_network.sequences.series import read_series
from novum.neural_network.sequences.vocabulary import SPECIAL, Vocabulary
from novum.neural_network.training.judging import Aim
from novum.neural_network.training.parameters import TRAINING
from novum.neural_network.training.targets import cross_entropy, squared_error
from novum.runtime import arrays
from novum.runtime.message_text import value_text
from novum.runtime.typing import Rows, RowWeights, Seed

__all__ = ["RecursiveNetwork"]


def list_of_trees(X: Any, owner: str) -> list[Any]:
    """Return trees in a list; what is none is refused."""
    if isinstance(X, str | bytes | dict | tuple) or hasattr(X, "is_directed") or not hasattr(X, "__iter__"):
        raise DataError(
            f"{owner}: X must be a list of trees, nested tuples or networkx trees; for one tree give [tree]."
        )
    trees = list(X)
    if not trees:
        raise DataError(f"{owner}: X has no tree (0 samples); a minimum of 1 is required.")
    return trees


def leaves_as_symbols(leaves: list[Any], owner: str) -> list[Any]:
    """Return the leaves of a tree as strings and integers."""
    found = [leaf.item() if isinstance(leaf, np.generic) else leaf for leaf in leaves]
    for leaf in found:
        if not isinstance(leaf, str | int):
            raise DataError(
                f"{owner}: a leaf is {value_text(leaf)}; leaves are all texts or whole numbers, or all vectors."
            )
    return found


def classifies(model: Any) -> bool:
    """Return whether the answers are classes; what is not fitted may still become so."""
    return model.task != "regression" and getattr(model, "classes_", True) is not None


class RecursiveNetwork(SequenceNetwork):
    """Recursive network over trees: one composition for all inner nodes, classes or values at the root or at every node.

    X is a list of trees. A tree is a nested tuple, `("and", "a", ("not", "b"))`: tuples are inner nodes and hold their children in
    order, anything else is a leaf: a symbol (text or whole number) or a vector. Or a networkx.DiGraph whose edges point from
    parent to child; the attribute "label" of a leaf is its symbol (without one its name), that of an inner node its first child.

    Parameters
    ----------
    n_units : int, default=32
        Size of the vector of a node.
    cell : {"lstm", "tanh"}, default="lstm"
        The composition: gates that keep or forget what each child brings, or tanh of a linear map.
    per_node : bool, default=False
        Whether every node has a target: then y holds for each tree as many as it has nodes, children before parents and the
        root last; predictions come in the same order.
    task : {"auto", "classification", "regression"}, default="auto"
        What y is; "auto": fractions are values, everything else classes.
    dropout : float, default=0.0
    unknown : {"error", "warn"}, default="error"
        What to do with symbols that the fit did not see: refuse them by name, or name them in a warning and read a vector of zeros.
    max_epochs : int, default=50
        Most passes over the training rows.
    batch_size : int, default=64
        Rows of a step.
    learning_rate : float, default=0.001
        The length of the first step, before `schedule` shortens it.
    optimizer : {"sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"}, default='adam'
        The rule of a step; momentum is .9.
    weight_decay : float, default=0.0
        Weight of half the sum of squared weights in what is minimised ("adamw": the share by which weights shrink at a step).
    schedule : {"constant", "linear", "cosine", "step", "plateau"}, default='constant'
        How the rate falls: not at all, to zero along a line or half a cosine over all epochs, to a tenth after one half and after
        three quarters of them, or to a tenth whenever the loss has not fallen for half of `patience` epochs.
    warmup_steps : int, default=0
        Steps over which the rate first rises from zero.
    clip_norm : float or None, default=1.0
        Longest gradient of a step; longer ones are shortened. None: as they are.
    averaging : float or None, default=None
        Decay of the exponential average of the weights over steps, which then predicts; None: the last weights do.
    validation_fraction : float, default=0.0
        Share of the rows held back to watch the loss; the weights of the best epoch are kept. `fit(validation=...)` brings its own.
    patience : int or None, default=10
        Epochs without a gain of `tol` in the loss (on the rows held back, or else in training) after which training ends.
        None: after max_epochs.
    tol : float, default=0.0001
        See `patience`; a share of the loss.
    mixed_precision : bool or "auto", default='auto'
        Multiply in bfloat16; "auto": on a GPU.
    compile : bool, default=False
        Compile the network with PyTorch's compiler: a minute at first, faster steps on a GPU.
    checkpoint : path or None, default=None
        File that is written after every epoch, from which `resume` goes on to the same curve.
    device : {"auto", "cpu", "cuda"}, default='auto'
        Where to train and to predict; "auto": on a GPU if there is one.
    verbose : bool, default=False
        Print a line for every epoch.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        Weights, order of rows, dropout. An int: the same network every time, on one machine and device.

    Attributes
    ----------
    classes_ : array of shape (n_classes,) or None
    symbols_ : list or None
        The symbols that training had, where leaves are symbols.
    arity_ : int
        Most children of a node.
    module_, weights_, config_, history_, n_epochs_, best_epoch_
        As in every network: see `NetworkEstimator`.

    Examples
    --------
    >>> from novum.neural_network import RecursiveNetwork
    >>> X = ["T", "F", ("not", "T"), ("not", "F"), ("or", "T", "F"), ("or", "F", "F"), ("not", ("or", "F", "F"))] * 10
    >>> y = [True, False, False, True, True, False, True] * 10
    >>> model = RecursiveNetwork(16, max_epochs=40, learning_rate=0.01, random_state=0).fit(X, y)  # doctest: +SKIP
    >>> model.predict([("or", "F", ("not", "F"))]).tolist()  # doctest: +SKIP
    [True]
    """

    _domains: dict[str, Domain] = {
        "n_units": Int(1),
        "cell": Choice("lstm", "tanh"),
        "per_node": Bool(),
        "task": Choice("auto", "classification", "regression"),
        "dropout": Real(0, 1, open="high"),
        "unknown": Choice("error", "warn"),
        **TRAINING,
    }
    symbols_: list[Any] | None
    classes_: NDArray | None
    arity_: int

    def __init__(
        self,
        n_units: int = 32,
        *,
        cell: Literal["lstm", "tanh"] = "lstm",
        per_node: bool = False,
        task: Literal["auto", "classification", "regression"] = "auto",
        dropout: float = 0.0,
        unknown: Literal["error", "warn"] = "error",
        clip_norm: float | None = 1.0,
        max_epochs: int = 50,
        batch_size: int = 64,
        learning_rate: float = 1e-3,
        optimizer: Literal["sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"] = "adam",
        weight_decay: float = 0.0,
        schedule: Literal["constant", "linear", "cosine", "step", "plateau"] = "constant",
        warmup_steps: int = 0,
        averaging: float | None = None,
        validation_fraction: float = 0.0,
        patience: int | None = 10,
        tol: float = 1e-4,
        mixed_precision: bool | Literal["auto"] = "auto",
        compile: bool = False,
        checkpoint: str | os.PathLike[str] | None = None,
        device: Literal["auto", "cpu", "cuda"] = "auto",
        verbose: bool = False,
        random_state: Seed = None,
    ) -> None:
        self.n_units = n_units
        self.cell = cell
        self.per_node = per_node
        self.task = task
        self.dropout = dropout
        self.unknown = unknown
        self.clip_norm = clip_norm
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.optimizer = optimizer
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.warmup_steps = warmup_steps
        self.averaging = averaging
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.tol = tol
        self.mixed_precision = mixed_precision
        self.compile = compile
        self.checkpoint = checkpoint
        self.device = device
        self.verbose = verbose
        self.random_state = random_state

    def _read_trees(self, X: Any, reset: bool) -> tuple[JoinedTables, NDArray]:
        """Return the nodes of all trees, and their leaves as numbers of symbols or as vectors."""
        owner = type(self).__name__
        check_at_hand(owner, "trees", X)
        if isinstance(X, str | bytes | dict | tuple) or hasattr(X, "successors") or not hasattr(X, "__iter__"):
            raise DataError(
                f"{owner}: X must be a list of trees, nested tuples or networkx trees; for one tree give [tree]."
            )
        tables = [read_tree(tree, owner, place) for place, tree in enumerate(X)]
        if not tables:
            raise DataError(f"{owner}: X has no tree (0 samples); a minimum of 1 is required.")
        leaves = [leaf for table in tables for leaf in table.leaves]
        if reset:
            self.arity_ = max(table.children.shape[1] for table in tables)
            symbols = isinstance(leaves[0], str | int | np.integer | np.bool_)
            self.symbols_ = self._learned_symbols("symbols_", [leaves_as_symbols(leaves, owner)]) if symbols else None
        joined = join_tables(tables, self.arity_, owner)
        if self.symbols_ is not None:
            read = [leaves_as_symbols(table.leaves, owner) for table in tables]
            return joined, Vocabulary(self.symbols_).encode(read, owner, "X", self.unknown).values
        vectors = [np.reshape(leaf, (1, -1)) for leaf in leaves]
        values = read_series(vectors, owner, None if reset else int(self.n_features_in_), "leaf").values
        if reset:
            self.n_features_in_ = values.shape[1]
        return joined, values.astype(np.float32)

    def _examples(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> TreeExamples:
        owner = type(self).__name__
        if y is None:
            raise DataError(f"{owner} requires y to be passed, but the target y is None")
        X = list_of_trees(X, owner)
        y = list(y) if isinstance(y, list | tuple) else list(arrays.to_numpy(y))
        if len(y) != len(X):
            raise DataError(f"{owner}: X has {len(X)} trees and y has {len(y)} targets; give one for each.")
        weight, used = check_sequence_weight(self, sample_weight, len(X))
        X, y = [X[k] for k in used], [y[k] for k in used]
        joined, leaves = self._read_trees(X, reset)
        if self.per_node:
            for place, (one, size) in enumerate(zip(y, np.diff(joined.first))):
                if np.ndim(one) == 0 or len(one) != size:
                    raise DataError(
                        f"{owner}: with per_node=True, y holds {size} targets for tree {place}, one per node, children first;"
                        f" got {value_text(one)}."
                    )
            y = np.concatenate([np.asarray(one) for one in y])
        each = weight
        if weight is not None and self.per_node:
            each = np.repeat(weight, np.diff(joined.first))
        targets = self._codes(np.asarray(y), each, reset)
        return TreeExamples(joined, leaves, targets, weight, np.arange(len(X)), bool(self.per_node))

    def _codes(self, y: NDArray, weight: NDArray | None, reset: bool) -> NDArray:
        """Return targets as the network learns them: numbers of classes, or values of mean zero and variance one."""
        if reset:
            fractions = y.dtype.kind == "f" and (y != np.floor(y)).any()
            valued = self.task == "regression" or (self.task == "auto" and fractions)
        else:
            valued = self.classes_ is None
        if not valued:
            self.classes_, codes = class_codes(type(self).__name__, column_or_1d(y), None if reset else self.classes_)
            return codes
        self.classes_ = None
        y = column_or_1d(check_array(y, ensure_2d=False, dtype=np.float64, input_name="y", estimator=self))
        if reset:
            self.target_mean_, self.target_scale_ = map(float, weighted_moments(y, weight))
        return ((y - self.target_mean_) / self.target_scale_).astype(np.float32)[:, None]

    def _config(self, examples: Any) -> dict[str, Any]:
        return {
            "n_symbols": 0 if self.symbols_ is None else len(SPECIAL) + len(self.symbols_),
            "n_inputs": 0 if self.symbols_ is not None else int(self.n_features_in_),
            "n_units": int(self.n_units),
            "arity": int(self.arity_),
            "n_outputs": 1 if self.classes_ is None else len(self.classes_),
            "cell": self.cell,
            "dropout": float(self.dropout),
        }

    def _build(self, config: dict[str, Any]) -> Any:
        from novum.neural_network.recurrent.composition import TreeNetwork

        return TreeNetwork(**config)

    def _loss(self, module: Any, batch: Any) -> Any:
        values, levels, nodes, target, weight = batch
        loss = squared_error if self.classes_ is None else cross_entropy
        return loss(module(values, levels, nodes), target, weight)

    def _judged(self, module: Any, batch: Any) -> Any:
        return self._loss(module, batch), [Aim(*batch[3:])]

    def _answers(self, X: Any, function: Callable[[Any, Any], Any], per_node: bool) -> Any:
        """Return `function(module, batch)` for every tree, or a list of arrays with its rows for every node."""
        import torch

        check_is_fitted(self)
        joined, leaves = self._read_trees(X, False)
        n = len(joined.first) - 1
        examples = TreeExamples(joined, leaves, None, None, np.arange(n), per_node)
        flat = arrays.to_numpy(torch.cat(self._outputs(examples, function)))
        return np.split(flat, joined.first[1:-1]) if per_node else flat

    def predict(self, X: Rows) -> Any:
        """Return the class or value of every tree, or a list of arrays with that of every node."""

        def said(module: Any, batch: Any) -> Any:
            outputs = module(*batch[:3])
            return outputs[:, 0].double() if self.classes_ is None else outputs.argmax(dim=1)

        found = self._answers(X, said, bool(self.per_node))
        return [self._in_words(one) for one in found] if self.per_node else self._in_words(found)

    def _in_words(self, values: NDArray) -> NDArray:
        return values * self.target_scale_ + self.target_mean_ if self.classes_ is None else self.classes_[values]

    @available_if(classifies)
    def predict_proba(self, X: Rows) -> Any:
        """Return the probability of every class at the root of every tree, or a list of arrays with those at every node."""
        return self._answers(X, lambda module, batch: module(*batch[:3]).double().softmax(dim=1), bool(self.per_node))

    def transform(self, X: Rows) -> NDArray:
        """Return the vector at the root of every tree, (n_samples, n_units)."""
        return self._answers(X, lambda module, batch: module.states(*batch[:2])[batch[2]], False)

    def score(self, X: Rows, y: Any, sample_weight: RowWeights = None) -> float:
        """Return the share of right classes, or the coefficient of determination, over trees or over all their nodes."""
        said, weight = self.predict(X), sample_weight
        if self.per_node:
            weight = None if weight is None else np.repeat(np.asarray(weight), [len(one) for one in said])
            said, y = np.concatenate(said), np.concatenate([np.asarray(one) for one in y])
        measure = r2_score if self.classes_ is None else accuracy_score
        return float(measure(y, said, sample_weight=weight))
