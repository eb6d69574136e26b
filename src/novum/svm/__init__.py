"""Support vector machines: classifiers, regressors and a detector of outliers, with any kernel."""

from novum.svm.classification import SVC, NuSVC
from novum.svm.outliers import OneClassSVM
from novum.svm.regression import SVR, NuSVR

__all__ = ["SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM"]
