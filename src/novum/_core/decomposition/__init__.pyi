"""Factor models."""

from novum._core.decomposition import factor_model as factor_model
