"""Ensembles: models made of many."""

from novum.ensemble.hist_gradient_boosting import HistGradientBoostingClassifier, HistGradientBoostingRegressor

__all__ = ["HistGradientBoostingClassifier", "HistGradientBoostingRegressor"]
