"""The comparison of models: candidates, folds, fits, tuning, and the choice among them."""
