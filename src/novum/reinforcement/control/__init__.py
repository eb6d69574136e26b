"""Agents that learn what to do by doing it."""
