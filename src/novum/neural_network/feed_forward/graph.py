r"""Networks on any feed-forward graph: skip connections, sparse connections, shared weights.

    E(theta) = (sum_i w_i loss_i + alpha / 2 |weights|^2) / sum_i w_i                                                   (1)

minimized in novum.neural_network.feed_forward.training; gradients by reverse passes over the graph
(novum.neural_network.feed_forward.passes). In NumPy: for structures that layered networks cannot have, not for speed.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if

from novum.activations import Activation, get_activation
from novum.base.classes import encode, labels_of
from novum.base.domains import ArrayLike, Choice, Domain, Instance, Int, Null, RandomState, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.history import History
from novum.base.sklearn_base import ClassifierMixin, RegressorMixin
from novum.base.validation import rows_at_hand
from novum.exceptions import DataError, NotConverged
from novum.fold.blocks import Block
from novum.linalg import check_gradient
from novum.linalg.gradients import GradientCheck
from novum.neural_network.feed_forward.passes import forward
from novum.neural_network.feed_forward.plots import draw_graph
from novum.neural_network.feed_forward.structure import OUTPUT, Structure, build_structure
from novum.neural_network.feed_forward.training import Problem, Trained, start_of, train_batches, train_whole
from novum.optimize import SGD, Adam
from novum.runtime import arrays
from novum.runtime.random import numpy_state
from novum.runtime.typing import Rows, RowWeights, Seed, Target
from novum.runtime.warn import warn

__all__ = ["FeedForwardGraph"]

IN_MEMORY = "FeedForwardGraph passes all rows through the graph at once"


class Predictor(NamedTuple):
    structure: Structure
    theta: np.ndarray
    classes: np.ndarray | None
    decide: bool
    flat: bool


def predictions(predictor: Predictor, block: Block) -> np.ndarray:
    """Return output, probabilities or decision of every row."""
    X = arrays.to_numpy(block.X) if arrays.is_tensor(block.X) else block.X
    p = forward(predictor.structure, predictor.theta, np.asarray(X, float)).outputs[OUTPUT]
    if predictor.classes is not None:
        p = np.column_stack([1 - p, p]) if p.shape[1] == 1 and len(predictor.classes) > 1 else p
        return predictor.classes[p.argmax(axis=1)] if predictor.decide else p.astype(X.dtype)
    return (p[:, 0] if predictor.flat else p).astype(X.dtype)


def classifies(model: Any) -> bool:
    """Return whether there are probabilities, or say that there are none."""
    if model.task != "classification":
        raise AttributeError("FeedForwardGraph(task='regression') has no predict_proba; set task='classification'.")
    return True


class FeedForwardGraph(Estimator):
    """A network on any feed-forward graph, with skip connections, sparse connections and shared weights.

    Parameters
    ----------
    hidden : dict, default=None
        Nodes between "input" and "output": name to units, or to (units, activation). None: one node of ten units.
    edges : list of tuples, default=None
        (source, target), and perhaps a pattern and a name. A pattern has a row per unit of the source and a column per unit of the
        target: booleans say which connections there are; of whole numbers equal ones share a weight and -1 is none. Edges of the
        same name share all weights. None: a chain of the nodes in their order.
    activation : str or Activation, default="tanh"
        Of nodes that do not name their own.
    task : {"regression", "classification"}, default="regression"
    solver : {"lbfgs", "adam", "sgd"}, default="lbfgs"
    alpha : float, default=0.0001
        Strength of the 2-norm penalty on the weights.
    batch_size : int, default=32
        Of "adam" and "sgd".
    learning_rate : float, default=0.01
    max_iter : int, default=500
    tol : float, default=1e-5
    n_init : int, default=1
        Random starts; the least loss is kept.
    random_state : int, Generator, RandomState, SeedSequence or None, default=None

    Attributes
    ----------
    theta_ : array of shape (n_parameters,)
        Weights, then the shifts of the nodes.
    coefs_ : list of arrays of shape (units of source, units of target)
        Of every edge.
    nodes_ : list of str
        In topological order.
    edges_ : list of (str, str)
    n_outputs_ : int
    classes_ : array of shape (n_classes,)
        Of a classification.
    loss_ : float
    n_iter_ : int
    history_ : History

    Examples
    --------
    >>> import numpy as np
    >>> from novum.neural_network import FeedForwardGraph
    >>> x = np.linspace(-2, 2, 100)[:, None]
    >>> graph = FeedForwardGraph({"bend": 3}, [("input", "bend"), ("bend", "output"), ("input", "output")], random_state=0)
    >>> graph.fit(x, 2 * x[:, 0] + np.tanh(5 * x[:, 0])).score(x, 2 * x[:, 0] + np.tanh(5 * x[:, 0])) > 0.999
    True
    """

    _domains: dict[str, Domain] = {
        "hidden": Instance(dict) | Null(),
        "edges": ArrayLike(1) | Null(),
        "activation": Choice(
            "identity", "sigmoid", "logistic", "tanh", "relu", "leaky_relu", "elu", "selu", "softplus", "gelu"
        )
        | Instance(Activation),
        "task": Choice("regression", "classification"),
        "solver": Choice("lbfgs", "adam", "sgd"),
        "alpha": Real(0),
        "batch_size": Int(1),
        "learning_rate": Real(0, open="low"),
        "max_iter": Int(1),
        "tol": Real(0),
        "n_init": Int(1),
        "random_state": RandomState(),
    }
    theta_: np.ndarray
    coefs_: list[np.ndarray]
    nodes_: list[str]
    edges_: list[Any]
    n_outputs_: int
    classes_: np.ndarray
    loss_: float
    n_iter_: int
    history_: History

    def __init__(
        self,
        hidden: Mapping[Any, Any] | None = None,
        edges: Sequence[Any] | None = None,
        *,
        activation: str | Activation = "tanh",
        task: Literal["regression", "classification"] = "regression",
        solver: Literal["lbfgs", "adam", "sgd"] = "lbfgs",
        alpha: float = 0.0001,
        batch_size: int = 32,
        learning_rate: float = 0.01,
        max_iter: int = 500,
        tol: float = 1e-5,
        n_init: int = 1,
        random_state: Seed = None,
    ) -> None:
        self.hidden = hidden
        self.edges = edges
        self.activation = activation
        self.task = task
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

    def _structure(self) -> Structure:
        output = "identity" if self.task == "regression" else "sigmoid" if self.n_outputs_ == 1 else "softmax"
        hidden = {"hidden": 10} if self.hidden is None else self.hidden
        return build_structure(
            hidden, self.edges, self.activation, self.n_features_in_, self.n_outputs_, get_activation(output)
        )

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Train the graph.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        kind = "numeric" if self.task == "regression" else "classes"
        rows_at_hand(self, X, IN_MEMORY)
        source: Any = self._source(X, y, sample_weight, target=kind).host()
        if self.task == "classification":
            self.classes_, source = labels_of(source)
            if len(self.classes_) < 2:
                raise DataError(
                    f"FeedForwardGraph: y has only one class, {self.classes_[0]!r}; a classification needs two."
                )
            self.n_outputs_ = 1 if len(self.classes_) == 2 else len(self.classes_)
        else:
            self.n_outputs_ = max(1, source.n_targets)
        structure = self._structure()
        target = self._targets(source.y, coded=True)
        weight = np.ones(len(target)) if source.weight is None else source.weight
        problem = Problem(structure, np.asarray(source.array(IN_MEMORY), float), target, weight, float(self.alpha))
        random = numpy_state(self.random_state)
        runs = [self._run(problem, random) for _ in range(self.n_init)]
        best = min(runs, key=lambda run: run.loss if np.isfinite(run.loss) else np.inf)
        if not np.isfinite(best.theta).all():
            raise DataError(
                "FeedForwardGraph: the weights left the range of floating point; scale X and y"
                " (sklearn.preprocessing.StandardScaler), or take a smaller learning_rate."
            )
        self.theta_, self.loss_, self.n_iter_ = best.theta, best.loss, len(best.losses)
        self.coefs_ = [structure.matrix(edge, best.theta) for edge in structure.edges]
        self.nodes_ = [node.name for node in structure.nodes]
        self.edges_ = [(edge.source, edge.target) for edge in structure.edges]
        self.history_ = History(best.losses, name="loss")
        if not best.converged:
            warn(
                f"FeedForwardGraph: the loss still fell after max_iter={self.max_iter} iterations; raise max_iter or tol.",
                NotConverged,
            )
        return self

    def _run(self, problem: Problem, random: np.random.RandomState) -> Trained:
        start = start_of(problem.structure, random)
        if self.solver == "lbfgs":
            return train_whole(problem, start, self.max_iter, self.tol)
        rate = float(self.learning_rate)
        rule = Adam(rate) if self.solver == "adam" else SGD(rate, momentum=0.9, nesterov=True)
        return train_batches(problem, start, rule, self.batch_size, self.max_iter, self.tol, random)

    def _targets(self, y: Any, coded: bool = False) -> np.ndarray:
        """Return the target as the output should be."""
        y = np.asarray(y)
        if self.task == "regression":
            return y.astype(float).reshape(len(y), -1)
        code = y if coded else encode(self.classes_, y)
        return (code[:, None] == (np.arange(self.n_outputs_) if self.n_outputs_ > 1 else [1])).astype(float)

    def _predictor(self, decide: bool) -> Predictor:
        check_is_fitted(self)
        classes = self.classes_ if self.task == "classification" else None
        return Predictor(self._structure(), self.theta_, classes, decide, self.n_outputs_ == 1)

    def predict(self, X: Rows) -> Any:
        """Return the output for every row of X, or its class."""
        return self._rows(X, predictions, self._predictor(True))

    @available_if(classifies)
    def predict_proba(self, X: Rows) -> Any:
        """Return the probability of every class; of a classification."""
        return self._rows(X, predictions, self._predictor(False))

    def score(self, X: Rows, y: Target, sample_weight: RowWeights = None) -> float:
        """Return the accuracy of a classification, or R^2.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        mixin: Any = ClassifierMixin if self.task == "classification" else RegressorMixin
        return mixin.score(self, X, y, sample_weight)

    def node_outputs(self, X: Rows) -> dict[str, np.ndarray]:
        """Return what every node says of every row.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        dict of arrays of shape (n_samples, n_units)
        """
        check_is_fitted(self)
        rows_at_hand(self, X, IN_MEMORY)
        rows = np.asarray(self._rows(X, lambda _, block: block.X), float)
        return forward(self._structure(), self.theta_, rows).outputs

    def check_gradient(
        self, X: Rows, y: Target, sample_weight: RowWeights = None, *, tol: float = 1e-6
    ) -> GradientCheck:
        """Compare the gradient of (1) with differences, at the fitted weights.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        check_is_fitted(self)
        rows = np.asarray(self._rows(X, lambda _, block: block.X), float)
        weight = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight, float)
        problem = Problem(self._structure(), rows, self._targets(y), weight, float(self.alpha))
        return check_gradient(lambda t: problem.at(t)[0], lambda t: problem.at(t)[1], self.theta_, tol=tol)

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the nodes by their depth, and the edges with their numbers of weights."""
        check_is_fitted(self)
        return draw_graph(self._structure(), ax)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if self.task == "classification":
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        else:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
            tags.target_tags.multi_output = True
        return tags
