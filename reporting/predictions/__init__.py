"""Compare predictions with people: automatic metrics and model judges beside the human labels."""
