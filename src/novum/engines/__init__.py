"""Mechanisms that more than one family stands on, each with the noun of its kernels in the compiled core."""
