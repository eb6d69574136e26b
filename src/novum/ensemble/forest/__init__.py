"""Forests: trees grown apart from each other, predicting together."""
