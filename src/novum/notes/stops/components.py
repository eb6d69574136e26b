"""Principal components on the small data of the notes."""

from typing import Any

import numpy as np

from novum.notes.stops.registry import stop

TEN = np.array(
    [[2.5, 2.4], [0.5, 0.7], [2.2, 2.9], [1.9, 2.2], [3.1, 3.0], [2.3, 2.7], [2, 1.6], [1, 1.1], [1.5, 1.6], [1.1, 0.9]]
)
SIX = np.array([[2.0, 0], [-2, 0], [0, 2], [0, -2], [3, 3], [-3, -3]])
FOUR = np.array([[2.0, 0], [0, 2], [4, 4], [2, 6]])
FIVE = np.array([[2.0, 0], [0, 2], [3, 3], [-1, -1], [1, 1]])


@stop("000", "4.7", "share of the first component of ten points", reference=0.963181, remark="eigenvalues by hand")
def share_of_ten() -> Any:
    from novum.decomposition import PCA

    return float(PCA(1).fit(TEN).explained_variance_ratio_[0])


@stop("002", "P1.5", "error of one component of six points", reference=4 / 3, remark="the eigenvalue left out")
def error_of_six() -> Any:
    from novum.decomposition import PCA

    return float(PCA(1).fit(SIX).reconstruction_error(SIX))


@stop("002", "P1.5", "probabilistic PCA of six points: loading", reference=np.sqrt(3.0), remark="W is not printed")
def loading_of_six() -> Any:
    from novum.decomposition import ProbabilisticPCA

    return float(ProbabilisticPCA(1).fit(SIX).loadings_[0, 0])


@stop(
    "003",
    "7.1",
    "components of four points for nine tenths of the variance",
    reference=2.0,
    remark="share of variance, >=",
)
def components_of_four() -> Any:
    from novum.decomposition import PCA

    return float(PCA(0.9).fit(FOUR).n_components_)


@stop("004", "II.2", "loss of one component of five points", reference=0.8, remark="the eigenvalue left out")
def loss_of_five() -> Any:
    from novum.decomposition import PCA

    return float(PCA(1).fit(FIVE).reconstruction_error(FIVE))
