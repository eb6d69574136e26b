"""Statistical tests: statistic, law under the hypothesis, p-value, power."""
