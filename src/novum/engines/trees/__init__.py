"""Growing, storing and walking decision trees: what single trees, forests and boosting share."""
