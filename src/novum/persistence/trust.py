"""Which types a model file may name: those of novum, and a fixed list of others, each in its own role."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.gaussian_process import kernels
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)

from novum.base.discovery import public_class
from novum.base.sklearn_base import BaseEstimator
from novum.persistence.sklearn_trees import TREE_TYPES

__all__ = ["Node", "is_foreign", "is_inert", "is_trusted", "is_tuple"]

DATA_LOADERS = {
    *("DictNode", "DefaultDictNode", "ListNode", "SetNode", "TupleNode", "SliceNode", "JsonNode", "TypeNode"),
    *("BytesNode", "BytearrayNode", "NdArrayNode", "MaskedArrayNode", "DTypeNode", "SparseMatrixNode", "ObjectNode"),
    *("RandomStateNode", "RandomGeneratorNode", "LossNode", "TreeNode"),
}
PLAIN_TYPES = {"str", "int", "float", "bool", "complex", "object"}
LOSS_MODULES = {"sklearn._loss._loss", "sklearn.linear_model._sgd_fast"}


def full_name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


# Types that skops does not trust by itself and that hold nothing but data, each with the one loader that may make it.
ALLOWED = {
    "numpy.dtype": "DTypeNode",
    **TREE_TYPES,
    "sklearn.utils._bunch.Bunch": "DictNode",
    "sklearn.compose._column_transformer._RemainderColsList": "ObjectNode",
    "sklearn.metrics._scorer._PassthroughScorer": "ObjectNode",
    "sklearn.calibration._CalibratedClassifier": "ObjectNode",
    "sklearn.calibration._SigmoidCalibration": "ObjectNode",
    **{
        full_name(getattr(sparse, f"{layout}_{kind}")): "SparseMatrixNode"
        for layout in ("csr", "csc", "coo", "bsr", "dia")
        for kind in ("matrix", "array")
    },
    **{
        full_name(splitter): "ObjectNode"
        for splitter in (KFold, StratifiedKFold, GroupKFold, StratifiedGroupKFold, TimeSeriesSplit, LeaveOneOut)
    },
    **{
        full_name(value): "ObjectNode"
        for value in vars(kernels).values()
        if isinstance(value, type) and issubclass(value, kernels.Kernel) and value.__module__ == kernels.__name__
    },
}


class Node(NamedTuple):
    """One object of the description."""

    module: str
    name: str
    loader: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


def is_number_type(node: Node) -> bool:
    """Return whether a name is that of one of NumPy's scalars of numbers, text or time."""
    found = getattr(np, node.name, None) if node.module == "numpy" else None
    return isinstance(found, type) and issubclass(found, np.generic) and found not in (np.void, np.object_)


def is_tuple(cls: type, loader: str) -> bool:
    """Return whether a class is a NamedTuple, and is made as one."""
    return loader == "TupleNode" and cls.__bases__ == (tuple,) and hasattr(cls, "_fields")


def is_inert(cls: type) -> bool:
    """Return whether `ObjectNode` makes an instance of a class without running code of that class."""
    own = cls.__new__ is not object.__new__ or hasattr(cls, "__del__")
    return not own and (issubclass(cls, BaseEstimator) or not hasattr(cls, "__setstate__"))


def is_trusted(node: Node) -> bool:
    """Return whether a type beyond those that skops trusts may be made, in this role."""
    if node.module.split(".")[0] == "novum":
        cls = public_class(node.module, node.name)
        return cls is not None and (is_inert(cls) if node.loader == "ObjectNode" else is_tuple(cls, node.loader))
    return ALLOWED.get(str(node)) == node.loader


def is_foreign(node: Node) -> bool:
    """Return whether a type must not be made; for the types that are neither trusted nor foreign, skops decides."""
    if node.loader == "TypeNode":  # the type of a key, or a dtype
        return not ((node.module == "builtins" and node.name in PLAIN_TYPES) or is_number_type(node))
    if node.loader == "NdArrayNode":
        return node.module != "numpy" or not (node.name == "ndarray" or is_number_type(node))
    if node.loader not in DATA_LOADERS or (node.loader == "LossNode" and node.module not in LOSS_MODULES):
        return True
    ours = node.module.split(".")[0] == "novum" or str(node) in ALLOWED
    return ours and not is_trusted(node)
