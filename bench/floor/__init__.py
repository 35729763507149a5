"""The floor of a saved answer: a Django view that does one upsert, without sign-in, sessions or checks."""
