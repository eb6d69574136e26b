"""Support vector machines: classifiers, regressors and a detector of outliers, with any kernel; their margins and conditions."""

from novum.svm.classification import SVC, NuSVC
from novum.svm.conversion import from_sklearn
from novum.svm.kkt import kkt_report
from novum.svm.linear import LinearSVC, LinearSVR
from novum.svm.margins import canonical_hyperplane, margins
from novum.svm.outliers import OneClassSVM
from novum.svm.plots import plot_margin, plot_tube
from novum.svm.regression import SVR, NuSVR

__all__ = [
    "SVC",
    "SVR",
    "LinearSVC",
    "LinearSVR",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "canonical_hyperplane",
    "from_sklearn",
    "kkt_report",
    "margins",
    "plot_margin",
    "plot_tube",
]


def __dir__() -> list[str]:
    return sorted(__all__)
