"""Means and differences of sources by a linear mixed model with crossed random effects."""
