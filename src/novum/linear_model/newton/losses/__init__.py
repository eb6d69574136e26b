"""Losses by the linear predictor, a file each; `loss` says what a new one has to bring."""
