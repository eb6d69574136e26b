"""Sums over rows that a solve needs: second moments, orthogonal factors, exact sums, quantiles."""
