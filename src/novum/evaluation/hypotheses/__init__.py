"""Statistical tests: statistic, distribution under the hypothesis, p-value, power."""
