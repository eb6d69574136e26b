"""What draws have to show."""

import numpy as np


def averages_to(values, expected):
    """Return whether the mean of draws is within four standard errors of what is expected."""
    return (np.abs(values.mean(0) - expected) <= 4 * values.std(0) / np.sqrt(len(values))).all()
