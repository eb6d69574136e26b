"""
Bayesian network: explaining away
=================================

The gauge of a car shows empty. Either the tank is, or the battery is flat and the gauge cannot be trusted. Once the battery is
found flat, an empty tank is less likely again: two independent causes of one effect compete as soon as the effect is seen
(:doc:`/theory/graphs`).
"""

import matplotlib.pyplot as plt

from novum.datasets import load_fuel_gauge

car = load_fuel_gauge()
print(car.explaining_away(("fuel", "empty"), {"gauge": "empty"}, {"battery": "flat"}))
print(car.d_separated("fuel", "battery"))
print(car.d_separated("fuel", "battery", given="gauge"))
print(car.table_frame("gauge"))

figure, ((top, table), (seen, both)) = plt.subplots(2, 2, figsize=(11, 6), layout="constrained")
car.plot(top, tables=["battery", "fuel"])
car.plot_table("gauge", table)
for ax, evidence in ((seen, {"gauge": "empty"}), (both, {"gauge": "empty", "battery": "flat"})):
    car.plot(ax, evidence=evidence)
    ax.set_title(f"the tank is empty with probability {car.query('fuel', evidence)['empty']:.3f}")
plt.show()
