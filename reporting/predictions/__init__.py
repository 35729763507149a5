"""Predictions against people (E-13): automatic metrics and model judges beside the human labels."""
