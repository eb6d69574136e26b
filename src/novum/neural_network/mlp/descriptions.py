"""The parameters and attributes of the perceptrons in words, written once for both classes."""

import inspect

__all__ = ["document_perceptron"]

PARAMETERS = """\
hidden_layer_sizes : int or array-like of int, default=(100,)
    Units of every hidden layer; none makes a linear model.
activation : str or Activation, default="relu"
    Of the hidden units: any trainable one of novum.activations.
solver : {"adam", "sgd", "adagrad", "rmsprop", "lbfgs"}, default="adam"
    "lbfgs" takes all rows at once.
alpha : float, default=0.0001
    Strength of the 2-norm penalty.
batch_size : int or "auto", default="auto"
    Rows of a step; "auto": min(200, n_samples).
learning_rate : {"constant", "invscaling", "adaptive", "cosine"} or callable, default="constant"
    How the rate changes; "invscaling" and "adaptive" are for "sgd" alone. A callable, such as a schedule of
    novum.optimize, gives the rate of epoch 0, 1, ...
learning_rate_init : float, default=0.001
power_t : float, default=0.5
    Exponent of "invscaling".
max_iter : int, default=200
    Most epochs, or iterations of "lbfgs".
shuffle : bool, default=True
    Visit the rows in another random order every epoch.
random_state : int, Generator, RandomState, SeedSequence or None, default=None
    Of the start, the split and the order of rows; an int gives scikit-learn's.
tol : float, default=1e-4
    An epoch that improves by less counts as none; for "lbfgs" the largest gradient to stop at.
verbose : bool, default=False
    Kept for scikit-learn's sake; `history_` tells of the epochs.
warm_start : bool, default=False
    Start from the last fit.
momentum : float, default=0.9
    Of "sgd".
nesterovs_momentum : bool, default=True
early_stopping : bool, default=False
    Hold rows back, stop when their score no longer improves, and keep the weights of the best epoch.
validation_fraction : float, default=0.1
beta_1 : float, default=0.9
    Decay of the mean gradient in "adam".
beta_2 : float, default=0.999
    Decay of the mean square in "adam" and "rmsprop".
epsilon : float, default=1e-8
    Added to the root of the mean square.
n_iter_no_change : int, default=10
    Patience: epochs in a row without improvement that are borne.
max_fun : int, default=15000
    Most evaluations of "lbfgs".
l1 : float, default=0.0
    Strength of the 1-norm penalty, which makes weights exactly zero.
dropout : float, default=0.0
    Share of hidden units that a step leaves out.
batch_norm : bool, default=False
    Normalize the sums of hidden units over the batch; `intercepts_` are then its shifts.
init : {"glorot", "he", "normal", "sparse"}, default="glorot"
    Weights to begin from: novum.neural_network.mlp.starts.
n_init : int, default=1
    Random starts.
combine : {"best", "average"}, default="best"
    Of several starts keep the one of the best score or loss, or average what all of them say."""

ATTRIBUTES = """\
coefs_ : list of arrays of shape (n_in, n_out)
intercepts_ : list of arrays of shape (n_out,)
loss_ : float
    Of the last epoch, penalties included.
loss_curve_, best_loss_
    Loss of every epoch, and the least; stochastic solvers only.
validation_scores_, best_validation_score_
    Score of the rows held back, with `early_stopping`; else None.
n_iter_, t_ : int
    Epochs, and rows visited.
n_layers_, n_outputs_ : int
out_activation_ : str
scales_, running_means_, running_variances_ : list of arrays
    Of `batch_norm`, per hidden layer.
restart_losses_ : array of shape (n_init,)
history_ : History
    Loss, rate and validation score of every epoch."""


def document_perceptron(cls: type) -> None:
    """Replace the lines `[parameters]` and `[attributes]` in the docstring of a class by what the perceptrons share."""
    doc = inspect.cleandoc(cls.__doc__ or "")
    cls.__doc__ = doc.replace("[parameters]", PARAMETERS).replace("[attributes]", ATTRIBUTES)
