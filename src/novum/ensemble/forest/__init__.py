"""Forests: trees grown apart from each other, asked together."""
