"""What networks over sequences share: symbols and their numbers, padding, decoding, attention maps."""
