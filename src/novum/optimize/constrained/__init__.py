"""Problems with constraints: solvers, Lagrange multipliers and the conditions of Karush, Kuhn and Tucker."""
