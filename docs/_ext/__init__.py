"""The code that builds the documentation."""
