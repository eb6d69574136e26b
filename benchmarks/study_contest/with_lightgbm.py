"""LightGBM tuned by Optuna: early stopping on a fifth of the rows, and the best settings again on all of them."""

import time

import lightgbm
import numpy as np
import optuna
import pandas as pd
from exchange import play
from sklearn.model_selection import train_test_split

MOST_TREES, PATIENCE = 3_000, 50
FOR_THE_LAST = 0.15  # of the time
OBJECTIVES = {"auc": ("binary", "auc"), "log_loss": ("multiclass", "multi_logloss"), "rmse": ("regression", "rmse")}


def readable(frame, like):
    """Return columns as LightGBM takes them: dates as days, text as categories in the levels of the rows learned from."""
    made = {}
    for name, column in frame.items():
        if isinstance(column.dtype, pd.DatetimeTZDtype) or column.dtype.kind == "M":
            made[name] = (column - pd.Timestamp(0, tz=column.dt.tz)) / pd.Timedelta(days=1)
        elif column.dtype.kind in "OTUS" or not isinstance(column.dtype, np.dtype):
            levels = pd.Index(like[name].dropna().astype(str).unique()).sort_values()
            made[name] = pd.Categorical(column.astype(str).where(column.notna()), categories=levels)
        else:
            made[name] = column
    return pd.DataFrame(made, index=frame.index)


def answers(learned, asked, target, measure, seconds):
    start = time.perf_counter()
    X, new = (readable(rows.drop(columns=target, errors="ignore"), learned) for rows in (learned, asked))
    classes, y = None, learned[target].to_numpy()
    if measure != "rmse":
        classes, y = np.unique(learned[target], return_inverse=True)
    objective, metric = OBJECTIVES[measure]
    fitted, held = train_test_split(
        np.arange(len(y)), test_size=0.2, random_state=0, stratify=y if classes is not None else None
    )
    common = {"objective": objective, "metric": metric, "verbosity": -1, "num_threads": 1, "seed": 0}
    if measure == "log_loss":
        common["num_class"] = len(classes)
    higher = metric == "auc"
    best = {}

    def trial(study):
        settings = common | {
            "learning_rate": study.suggest_float("learning_rate", 0.01, 0.3, log=True),
            "num_leaves": study.suggest_int("num_leaves", 4, 256, log=True),
            "min_data_in_leaf": study.suggest_int("min_data_in_leaf", 2, 128, log=True),
            "feature_fraction": study.suggest_float("feature_fraction", 0.3, 1.0),
            "bagging_fraction": study.suggest_float("bagging_fraction", 0.4, 1.0),
            "bagging_freq": 1,
            "lambda_l1": study.suggest_float("lambda_l1", 1e-6, 10, log=True),
            "lambda_l2": study.suggest_float("lambda_l2", 1e-6, 10, log=True),
        }

        def in_time(state):
            if time.perf_counter() - start > (1 - FOR_THE_LAST) * seconds:
                raise lightgbm.callback.EarlyStopException(state.iteration, state.evaluation_result_list)

        in_time.order = 100
        model = lightgbm.train(
            settings,
            lightgbm.Dataset(X.iloc[fitted], y[fitted], params={"verbosity": -1}),
            MOST_TREES,
            valid_sets=[lightgbm.Dataset(X.iloc[held], y[held], params={"verbosity": -1})],
            callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False), in_time],
        )
        score = next(iter(model.best_score["valid_0"].values()))
        if not best or (score > best["score"]) == higher:
            best.update(score=score, settings=settings, trees=max(1, model.best_iteration), model=model)
        return score

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    search = optuna.create_study(
        direction="maximize" if higher else "minimize", sampler=optuna.samplers.TPESampler(seed=0)
    )
    search.optimize(trial, timeout=(1 - FOR_THE_LAST) * seconds)

    def until(state):
        if time.perf_counter() - start > seconds:
            raise lightgbm.callback.EarlyStopException(state.iteration, state.evaluation_result_list)

    model, trees = best["model"], best["trees"]
    again = lightgbm.train(best["settings"], lightgbm.Dataset(X, y, params={"verbosity": -1}), trees, callbacks=[until])
    if again.current_iteration() == trees:  # in time
        model = again
    said = model.predict(new, num_iteration=trees)
    if measure == "rmse":
        return said
    return classes, np.column_stack([1 - said, said]) if said.ndim == 1 else said


play(lightgbm.__version__, answers)
