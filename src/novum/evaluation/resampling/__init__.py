"""Cross-validation and the bootstrap: scores on rows that a model was not fitted to."""
