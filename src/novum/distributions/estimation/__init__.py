"""Parameters of any density from data: optimum, grid, comparison."""
