"""Gaussian components on blocks of rows: covariance forms, densities, missing cells."""
