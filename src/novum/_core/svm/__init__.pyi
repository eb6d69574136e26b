"""Support vector machines."""

from novum._core.svm import dual_descent as dual_descent, smo as smo
