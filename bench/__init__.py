"""Measurements: what Parley does beside a floor or a peer, in one run on one machine. `./dev bench`"""
