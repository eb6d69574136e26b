"""Support vector machines."""

from novum._core.svm import (
    crammer_singer as crammer_singer,
    dual_descent as dual_descent,
    smo as smo
)
