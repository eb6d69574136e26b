"""
Least squares
=============

A line and a plane.
"""
import matplotlib.pyplot as plt
plt.plot([1,2])
