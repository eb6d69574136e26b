"""FLAML as its page begins: the task, the measure and the seconds."""

import flaml
from exchange import play

NAMES = {"auc": "roc_auc", "log_loss": "log_loss", "rmse": "rmse"}


def answers(learned, asked, target, measure, seconds):
    model = flaml.AutoML()
    model.fit(
        learned.drop(columns=target),
        learned[target],
        task="regression" if measure == "rmse" else "classification",
        metric=NAMES[measure],
        time_budget=seconds,
        n_jobs=1,
        verbose=0,
        seed=0,
    )
    if measure == "rmse":
        return model.predict(asked)
    return model.classes_, model.predict_proba(asked)


play(flaml.__version__, answers)
