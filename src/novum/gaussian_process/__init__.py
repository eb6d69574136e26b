"""Gaussian processes: kernels under scikit-learn's names."""

__all__: list[str] = []
