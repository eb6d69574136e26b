"""Networks on graphs: every node learns from its neighbours."""
