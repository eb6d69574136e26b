"""Board games of two players: rules, exact values, evaluations that are learned from play."""
