"""Small tables for the tests of the study."""

import numpy as np
import pandas as pd


def mixed(n=120, seed=0):
    """Return a table with numbers, categories, gaps, a date, an identifier and a constant; `bought` follows from some."""
    rng = np.random.default_rng(seed)
    age, income = rng.normal(40, 10, n), rng.normal(3000, 700, n)
    city = rng.choice(["Rome", "Turin", "Bari"], n)
    score = (age - 40) / 10 + (income - 3000) / 700 + (city == "Rome") + rng.normal(0, 0.4, n)
    frame = pd.DataFrame(
        {
            "customer_id": np.arange(1, n + 1) * 7,
            "age": age,
            "income": income,
            "city": city,
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
            "member": rng.random(n) > 0.5,
            "country": "IT",
            "bought": np.where(score > 0.3, "yes", "no"),
            "spent": 50 + 10 * score,
        }
    )
    frame.loc[frame.index[::11], "age"] = np.nan
    frame.loc[frame.index[::13], "city"] = None
    return frame
