"""What the networks say of themselves to stand in a study."""

from novum.base.candidacy import Candidacy

__all__ = ["CANDIDACY"]

CANDIDACY = Candidacy(  # of either perceptron in a study
    rank=9,
    settings={"hidden_layer_sizes": (64,), "alpha": 0.01, "max_iter": 300},
    search=(
        {"alpha": 1.0},
        {"hidden_layer_sizes": (128, 64), "alpha": 0.03},
        {"hidden_layer_sizes": (32, 32), "alpha": 0.1},
    ),
    scaled=True,
    most_rows=100_000,
    many={"early_stopping": True, "n_iter_no_change": 15},
    order=4,
    standard_target=True,
)
