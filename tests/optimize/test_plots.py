"""Pictures of descent and of subgradients."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from novum.exceptions import DataError, ParameterError
from novum.optimize import gradient_descent, newton, plot_descent, plot_subgradients


def bowl(x):
    return x[0] ** 2 + 8 * x[1] ** 2


def slope(x):
    return np.array([2 * x[0], 16 * x[1]])


@pytest.mark.notes("002", "plot-newton-vs-gd")
def test_both_paths_from_one_start_over_contours():
    descent = gradient_descent(bowl, [3.0, 1.0], gradient=slope, step=0.1, keep_path=True)
    straight = newton(bowl, [3.0, 1.0], gradient=slope, keep_path=True)
    ax = Figure().subplots()
    assert plot_descent(bowl, {"descent": descent, "Newton": straight}, ax=ax) is ax
    x, y = ax.lines[0].get_data()
    assert (x[0], y[0]) == (3, 1) == tuple(np.array(ax.lines[1].get_data())[:, 0])
    assert len(ax.lines[0].get_xdata()) > 10 > len(ax.lines[1].get_xdata())
    assert ax.collections
    with pytest.raises(DataError, match="kept no path; run its driver with keep_path=True"):
        plot_descent(bowl, {"a": gradient_descent(bowl, [3.0, 1.0], gradient=slope)})
    with pytest.raises(DataError, match=r"paths\['a'\] has shape \(2, 3\)"):
        plot_descent(bowl, {"a": np.zeros((2, 3))})
    with pytest.raises(ParameterError, match="nothing to draw"):
        plot_descent(bowl, {})


@pytest.mark.notes("000-b", "plot-subgradients")
def test_supporting_lines_stay_below_the_curve():
    def hinge(m):
        return max(0.0, 1 - m)

    ax = plot_subgradients(hinge, 1.0, n_lines=4)
    lines, curve = ax.lines[:4], ax.lines[4]
    for line in lines:
        assert np.all(line.get_ydata() <= curve.get_ydata() + 1e-6)
    slopes = [np.ptp(line.get_ydata()) / np.ptp(line.get_xdata()) for line in lines]
    np.testing.assert_allclose(slopes, [1, 2 / 3, 1 / 3, 0], atol=1e-6)
    with pytest.raises(ParameterError, match=r"span=\(1, 0\)"):
        plot_subgradients(hinge, 1.0, span=(1, 0))
