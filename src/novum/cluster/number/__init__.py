"""How many clusters: elbow, silhouette, gap, stability, evidence of a mixture."""
