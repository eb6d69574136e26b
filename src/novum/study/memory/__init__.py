"""What a model file holds besides the model: rows to explain against, scores that calibrate, the distribution of every column."""
