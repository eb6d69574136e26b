"""The report, the model card and the files that a study writes."""
