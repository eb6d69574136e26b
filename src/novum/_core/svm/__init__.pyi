"""Support vector machines."""

from novum._core.svm import smo as smo
