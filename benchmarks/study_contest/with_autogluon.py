"""AutoGluon with its preset of best quality."""

import tempfile

import autogluon.tabular
from autogluon.tabular import TabularPredictor
from exchange import play

NAMES = {"auc": "roc_auc", "log_loss": "log_loss", "rmse": "root_mean_squared_error"}
KINDS = {"auc": "binary", "log_loss": "multiclass", "rmse": "regression"}


def answers(learned, asked, target, measure, seconds):
    with tempfile.TemporaryDirectory() as folder:
        predictor = TabularPredictor(
            target, problem_type=KINDS[measure], eval_metric=NAMES[measure], path=f"{folder}/model", verbosity=1
        ).fit(learned, time_limit=seconds, presets="best_quality", num_cpus=1)
        if measure == "rmse":
            return predictor.predict(asked).to_numpy(float)
        probabilities = predictor.predict_proba(asked)
        return probabilities.columns, probabilities.to_numpy()


play(autogluon.tabular.__version__, answers)
