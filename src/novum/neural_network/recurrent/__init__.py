"""Recurrent networks over sequences, recursive networks over trees, encoders with decoders."""
