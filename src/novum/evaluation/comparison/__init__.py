"""Comparing models: shared folds, valid tests, the sentence for the paper."""
