"""Pictures of networks: architectures as boxes, layers as units."""
