"""Counting: change of basis, bootstrap, shattering."""

from typing import Any

import numpy as np

from novum.notes.stops.registry import stop
from novum.teaching import matrix_of_map
from novum.theory import hypothesis_count, pac_sample_size, vc_dimension


@stop("000", "4", "matrix of a map in two bases, entry (3, 2)", printed="4", reference=-4.0, erratum="000-4-b")
def change_of_basis() -> Any:
    A = [[2, -1, 0, 1], [0, 1, -2, 1], [1, 1, -2, 0]]
    B = [[1, 0, 0, 0], [0, 1, -1, 0], [0, 0, 0, 1], [0, 1, 1, 1]]
    C = [[1, 1, 1], [1, 1, 0], [1, 0, 0]]
    return float(matrix_of_map(np.array(A), B, C)[2, 1])


@stop("003", "7.1", "share of a square outside one of side .99", reference=0.0199, remark="1 - .99^2, as the page says")
def shell() -> Any:
    return 1 - 0.99**2


@stop("003", "8.2", "points that lines in the plane shatter", printed="3")
def shattered() -> Any:
    corners = [[0, 0], [1, 0], [0, 1], [1, 1]]
    return float(vc_dimension("lines", points=corners))


@stop("003", "8.1", "examples for conjunctions of 10 inputs", reference=140.0, remark="eps .1, delta .05")
def examples_needed() -> Any:
    return float(pac_sample_size(0.1, 0.05, hypotheses=int(hypothesis_count("conjunctions", 10))))
