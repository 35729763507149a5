"""Predictions against people: automatic metrics and model judges beside the human labels."""
