"""People and a judge, such as a language model: how far they agree, and what both together say of the sources."""
