"""Boosting by reweighting."""
