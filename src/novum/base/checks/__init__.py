"""Checks around every fit: parameters that are known, data that are large enough, results that are numbers."""
