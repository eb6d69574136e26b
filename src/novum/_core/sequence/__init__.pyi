"""Sequences."""

from novum._core.sequence import kalman as kalman
