"""Strengths of sources from comparisons of two of them at a time."""
