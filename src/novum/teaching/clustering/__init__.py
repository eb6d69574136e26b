"""Steps of k-means and EM drawn one by one, and distances between clusters."""
