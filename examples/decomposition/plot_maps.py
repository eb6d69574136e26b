"""
Manifold learning: maps of cities, a roll, a lattice, a curve
=============================================================

Four ways from many columns, or from distances alone, to a picture: scaling (:doc:`/theory/multidimensional_scaling`), paths
along the data (:doc:`/theory/isomap`), units on a lattice (:doc:`/theory/self_organizing_maps`) and a curve
(:doc:`/theory/principal_curves`).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris, make_swiss_roll

from novum.manifold import MDS, Isomap, PrincipalCurve, SelfOrganizingMap

cities = ["London", "Paris", "Berlin", "Madrid", "Rome", "Vienna", "Warsaw", "Lisbon"]
kilometres = np.array(  # as the crow flies
    [
        [0, 344, 932, 1264, 1434, 1235, 1450, 1586],
        [344, 0, 878, 1053, 1106, 1034, 1367, 1453],
        [932, 878, 0, 1869, 1181, 524, 517, 2312],
        [1264, 1053, 1869, 0, 1364, 1810, 2289, 503],
        [1434, 1106, 1181, 1364, 0, 765, 1315, 1864],
        [1235, 1034, 524, 1810, 765, 0, 557, 2300],
        [1450, 1367, 517, 2289, 1315, 557, 0, 2761],
        [1586, 1453, 2312, 503, 1864, 2300, 2761, 0],
    ],
    dtype=float,
)
scaling = MDS(metric="precomputed", init="classical_mds", normalized_stress=True).fit(kilometres)
map_of_cities = scaling.embedding_ * [-1, -1]  # distances know neither north nor east
print(f"stress-1 of the map: {scaling.stress_:.4f}")
figure, ax = plt.subplots(figsize=(6, 4.5), layout="constrained")
ax.scatter(*map_of_cities.T)
for name, place in zip(cities, map_of_cities):
    ax.annotate(name, place, xytext=(4, 4), textcoords="offset points")
ax.set(aspect="equal", title="eight cities from their distances", xlabel="km", ylabel="km")
plt.show()

# %%
# A roll in space, and unrolled. Colors go along the spiral.
roll, angle = make_swiss_roll(1000, random_state=0)
unrolled = Isomap(n_neighbors=10).fit(roll)
print(f"trustworthiness: {unrolled.trustworthiness():.4f}")
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
axes[0].scatter(roll[:, 0], roll[:, 2], c=angle, s=6)
axes[0].set(title="the roll from the side", aspect="equal")
axes[1].scatter(*unrolled.embedding_.T, c=angle, s=6)
axes[1].set(title="Isomap")
plt.show()

# %%
# Irises on a hexagonal lattice: colors are the U-matrix, dots the number of flowers. The ridge parts setosa from the others.
iris = load_iris()
model = SelfOrganizingMap(8, 12, lattice="hexagonal", max_iter=40).fit(iris.data)
figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
model.plot(ax)
plt.show()

# %%
# A curve through the middle of a cloud, and the straight axis it began from.
rng = np.random.default_rng(0)
s = rng.uniform(-1, 1, 800)
cloud = np.column_stack([3 * s, np.sin(3 * s)]) + 0.15 * rng.normal(size=(800, 2))
curve = PrincipalCurve().fit(cloud)
print(f"mean squared distance: line {curve.history_[0]:.3f}, curve {curve.history_[-1]:.3f}")
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
curve.plot(cloud, ax)
plt.show()
