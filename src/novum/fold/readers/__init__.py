"""Files of rows by their format: CSV, Parquet, Arrow, npy."""
