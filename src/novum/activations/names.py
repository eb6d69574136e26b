"""Activations by name, as an estimator's parameter gives them."""

from novum.activations.base import Activation
from novum.activations.normalizers import softmax
from novum.activations.rectifiers import elu, gelu, leaky_relu, relu, selu, softplus
from novum.activations.sigmoids import sigmoid, tanh
from novum.activations.thresholds import identity, sign, step
from novum.exceptions import ParameterError

__all__ = ["BY_NAME", "get_activation"]

BY_NAME: dict[str, Activation] = {
    a.name: a for a in (sign, step, identity, sigmoid, tanh, relu, leaky_relu, elu, selu, softplus, gelu, softmax)
}
BY_NAME["logistic"] = sigmoid  # scikit-learn's name for it


def get_activation(activation: str | Activation, *, trainable: bool = False) -> Activation:
    """Return the activation of that name, or the activation itself.

    Parameters
    ----------
    activation : str or Activation
    trainable : bool
        Refuse activations that no gradient passes.

    Examples
    --------
    >>> from novum.activations import get_activation
    >>> get_activation("logistic")
    sigmoid
    """
    found = (
        activation
        if isinstance(activation, Activation)
        else BY_NAME.get(activation)
        if isinstance(activation, str)
        else None
    )
    if found is None:
        raise ParameterError(
            f"get_activation(activation={activation!r}): no such activation; use one of {', '.join(sorted(BY_NAME))} "
            "or an Activation object."
        )
    if trainable and not found.trainable:
        raise ParameterError(
            f"get_activation(activation={found.name!r}): its derivative is zero almost everywhere, so gradients "
            "cannot train what lies below it; use sigmoid or tanh, its smooth relatives."
        )
    return found
