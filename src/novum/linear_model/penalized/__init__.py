"""Least squares under penalties that make coefficients zero: paths, working sets, choice of the penalty."""
