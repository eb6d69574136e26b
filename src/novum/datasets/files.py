"""Tables that ship with the package as CSV files."""

from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from novum.datasets.bunch import bunch_of_columns
from novum.runtime.checks import check_choice

__all__ = ["load_nile", "path"]

NAMES = ("breast_cancer.csv", "diabetes.csv", "nile.csv")


def path(name: str) -> Path:
    """Return where a table of the package lies on disk.

    Parameters
    ----------
    name : {"breast_cancer.csv", "diabetes.csv", "nile.csv"}
        569 tumours with 30 measures and a `diagnosis` (benign or malignant); 442 patients with 10 measures and the
        `progression` of their diabetes after a year; the flow of the Nile. The first two are scikit-learn's, unscaled.

    Examples
    --------
    >>> from novum.datasets import path
    >>> path("breast_cancer.csv").name
    'breast_cancer.csv'
    """
    check_choice("path", "name", name, NAMES)
    return Path(str(files("novum.datasets") / "tables" / name))


def load_nile(*, as_frame: bool = True) -> Any:
    """Return the annual flow of the Nile at Aswan, 1871 to 1970, in 10^8 cubic metres.

    The level drops around 1899 by about 250; a Gaussian hidden Markov model with two states finds the year, and the local-level
    model has published estimates (Durbin and Koopman 2012).

    Parameters
    ----------
    as_frame : bool, default=True
        Whether to give pandas, indexed by year; False: arrays.

    Returns
    -------
    Bunch
        `volume`, the series; `year`; and the fields of every table here.

    Examples
    --------
    >>> from novum.datasets import load_nile
    >>> flow = load_nile()["volume"]
    >>> len(flow), int(flow.loc[1913]), float(flow.mean())
    (100, 456, 919.35)
    """
    year, volume = np.loadtxt(path("nile.csv"), delimiter=",", skiprows=1, dtype=np.int64, unpack=True)
    flow = volume.astype(np.float64)
    description = "Annual flow of the Nile at Aswan, 1871-1970."
    bunch = bunch_of_columns({"volume": flow}, None, description, index=year, as_frame=as_frame, year=year)
    if as_frame:
        bunch.frame.index.name = "year"
        bunch.data.index.name = "year"
    bunch["volume"] = bunch.frame["volume"] if as_frame else flow
    return bunch
