"""A whole study as one file: written by an export, and read back into an empty Parley."""
