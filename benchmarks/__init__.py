"""Measurements of what we claim about speed; run with ``make bench``."""
