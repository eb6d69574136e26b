"""Trees on a PyTorch device: bins, histograms of leaves, and the walk of rows through trees."""
