"""Demonstrations with a known distribution: means, variances, bias, information, trials."""
