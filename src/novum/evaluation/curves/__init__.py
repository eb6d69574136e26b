"""Learning, validation, ROC, precision-recall and calibration curves."""
