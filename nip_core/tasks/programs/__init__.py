"""Programs, right and wrong: the bundled problems of code validation."""
