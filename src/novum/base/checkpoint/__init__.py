"""Fits that go on after they were killed."""
