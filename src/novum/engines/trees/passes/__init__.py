"""Trees that grow by passes over blocks of rows, wherever these live."""
