"""What a model file remembers beside the model: rows to explain against, scores that calibrate, how the columns were spread."""
