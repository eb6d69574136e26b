"""Kernels of rows that lie on a device."""
