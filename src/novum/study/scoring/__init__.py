"""How good predictions are: measures, costs of mistakes, intervals."""
