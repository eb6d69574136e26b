"""Public tables for the comparison of studies: what they are, what is to be predicted, and where they come from.

They ship with scikit-learn, statsmodels and vega_datasets, none of which is asked over a network. `dump` writes them as Parquet
into a folder, from which `load` reads them where these packages are not installed.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn import datasets as bundled


def from_sklearn(name):
    return getattr(bundled, f"load_{name}")(as_frame=True).frame


def from_statsmodels(name, **columns):
    from statsmodels import datasets

    return getattr(datasets, name).load_pandas().data.assign(**columns)


def from_vega(name):
    from vega_datasets import data

    return getattr(data, name)()


def fair():
    return from_statsmodels("fair", unfaithful=lambda f: np.where(f["affairs"] > 0, "yes", "no")).drop(
        columns="affairs"
    )


def weather():
    return from_vega("seattle_weather").assign(month=lambda f: f["date"].dt.month).drop(columns="date")


def star98():
    frame = from_statsmodels("star98")
    return frame.assign(share=frame["NABOVE"] / (frame["NABOVE"] + frame["NBELOW"])).drop(columns=["NABOVE", "NBELOW"])


def cars():
    return from_vega("cars").drop(columns="Name").assign(Year=lambda f: pd.to_datetime(f["Year"]).dt.year)


TABLES = {
    "iris species": (lambda: from_sklearn("iris"), "target", "classification"),
    "wine cultivar": (lambda: from_sklearn("wine"), "target", "classification"),
    "breast cancer": (lambda: from_sklearn("breast_cancer"), "target", "classification"),
    "digits": (lambda: from_sklearn("digits"), "target", "classification"),
    "diabetes": (lambda: from_sklearn("diabetes"), "target", "regression"),
    "cars MPG": (lambda: cars().dropna(subset="Miles_per_Gallon"), "Miles_per_Gallon", "regression"),
    "cars origin": (cars, "Origin", "classification"),
    "cars acceleration": (cars, "Acceleration", "regression"),
    "barley yield": (lambda: from_vega("barley"), "yield", "regression"),
    "Seattle weather": (weather, "weather", "classification"),
    "Seattle temperature": (lambda: weather().drop(columns="temp_min"), "temp_max", "regression"),
    "election 1996": (lambda: from_statsmodels("anes96"), "vote", "classification"),
    "income 1996": (lambda: from_statsmodels("anes96"), "income", "regression"),
    "affairs": (fair, "unfaithful", "classification"),
    "schools": (star98, "share", "regression"),
    "doctor visits": (lambda: from_statsmodels("randhie")[::5].reset_index(drop=True), "mdvis", "regression"),
    "travel mode": (lambda: from_statsmodels("modechoice").drop(columns=["individual"]), "choice", "classification"),
    "state crime": (lambda: from_statsmodels("statecrime").reset_index(drop=True), "murder", "regression"),
    "food": (lambda: from_statsmodels("engel"), "foodexp", "regression"),
    "investment": (lambda: from_statsmodels("grunfeld"), "invest", "regression"),
    "credit card": (lambda: from_statsmodels("ccard"), "AVGEXP", "regression"),
    "strikes": (lambda: from_statsmodels("strikes"), "duration", "regression"),
    "inflation": (lambda: from_statsmodels("macrodata"), "infl", "regression"),
    "grades": (lambda: from_statsmodels("spector"), "GRADE", "classification"),
}


def load(name, folder=None):
    """Return the frame, the target, the kind of task and the target's values."""
    make, target, kind = TABLES[name]
    if folder is None:
        frame = make()
        frame = frame.dropna(subset=target).reset_index(drop=True)
        for column in frame.columns:
            if frame[column].dtype.kind not in "biufM":
                frame[column] = frame[column].astype(object)
    else:
        frame = pd.read_parquet(Path(folder) / f"{name.replace(' ', '_')}.parquet")
        frame = frame.astype({c: object for c in frame.columns if frame[c].dtype.kind not in "biufM"})
    y = frame[target].to_numpy()
    return frame, target, kind, y.astype(str) if y.dtype == object else y


def dump(folder):
    """Write all tables that are there into a folder; return their names."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    written = []
    for name in TABLES:
        try:
            frame = load(name)[0]
        except ImportError as error:
            print(f"{name}: left out, {error}")
            continue
        frame.to_parquet(Path(folder) / f"{name.replace(' ', '_')}.parquet", index=False)
        written.append(name)
    return written
