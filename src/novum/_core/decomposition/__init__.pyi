"""Factor models and independent components."""

from novum._core.decomposition import (
    factor_model as factor_model,
    independent as independent
)
