"""Odds ratios of sources by a cumulative-link mixed model with crossed random effects."""
