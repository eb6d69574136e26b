"""Pictures of descent and of subgradients."""

import numpy as np
import pytest
from artists import canvas, contours, curve, curves, levels

from novum.exceptions import DataError, ParameterError
from novum.optimize import gradient_descent, newton, plot_descent
from novum.teaching import plot_subgradients


def bowl(x):
    return x[0] ** 2 + 8 * x[1] ** 2


def slope(x):
    return np.array([2 * x[0], 16 * x[1]])


@pytest.mark.notes("002", "plot-newton-vs-gd")
def test_both_paths_from_one_start_over_contours():
    descent = gradient_descent(bowl, [3.0, 1.0], gradient=slope, learning_rate=0.1, keep_path=True)
    straight = newton(bowl, [3.0, 1.0], gradient=slope, keep_path=True)
    ax = canvas()
    assert plot_descent(bowl, {"descent": descent, "Newton": straight}, ax=ax) is ax
    drawn, at, walked = curves(ax), np.array([3.0, 1.0]), []
    for _ in range(len(drawn["descent"])):
        walked.append(at)
        at = at - 0.1 * np.array(slope(at))
    np.testing.assert_allclose(drawn["descent"], walked, atol=1e-12)  # every step is -0.1 times the gradient
    hessian = np.array([np.array(slope(e)) - slope([0, 0]) for e in np.eye(2)])  # of a bowl, from its slope
    first = np.array([3.0, 1.0]) - np.linalg.solve(hessian, slope(np.array([3.0, 1.0])))
    np.testing.assert_allclose(drawn["Newton"][:2], [[3, 1], first], atol=1e-6)  # one step reaches the bottom
    assert len(drawn["descent"]) > 10 > len(drawn["Newton"])
    steps = np.concatenate([drawn["descent"], drawn["Newton"]])
    free = np.ptp(steps, axis=0) / 4  # a quarter of the paths' extent around them
    np.testing.assert_allclose(ax.dataLim.get_points(), [steps.min(0) - free, steps.max(0) + free])
    rings, xs = contours(ax), np.concatenate(list(contours(ax).values()))
    assert np.ptp(xs[:, 0]) > 3 and len(levels(ax)[0]) > 5
    for level, ring in rings.items():
        height = np.array([bowl(point) for point in ring])
        np.testing.assert_allclose(height, level, rtol=0.1, atol=2e-2 * max(rings))
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

    ax = plot_subgradients(hinge, 1.0, n_lines=4, ax=canvas())
    x, height = curve(ax, "f")
    np.testing.assert_allclose(height, np.maximum(0, 1 - x), atol=1e-12)
    for k, expected in enumerate((-1, -2 / 3, -1 / 3, 0)):
        np.testing.assert_allclose(curve(ax, k)[1], expected * (x - 1), atol=1e-5)  # through the kink
        assert np.all(curve(ax, k)[1] <= height + 1e-6)
    np.testing.assert_allclose(curve(ax, -1), [[1.0], [0.0]])
    smooth = plot_subgradients(lambda m: m**2, 0.5, n_lines=2, ax=canvas())
    for k in (0, 1):  # one slope where there is no kink
        np.testing.assert_allclose(curve(smooth, k)[1], 0.25 + (curve(smooth, k)[0] - 0.5), atol=1e-4)
    with pytest.raises(ParameterError, match=r"span=\(1, 0\)"):
        plot_subgradients(hinge, 1.0, span=(1, 0))
