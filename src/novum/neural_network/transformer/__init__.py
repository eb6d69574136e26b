"""The Transformer: attention, positions, blocks; sequences to classes and to sequences."""
