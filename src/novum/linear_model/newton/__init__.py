"""One Newton driver for regressors on a line: a loss per file in `losses`, sums over rows in `objective`, steps in `minimum`."""
