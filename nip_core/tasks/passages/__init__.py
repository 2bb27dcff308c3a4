"""Passages with a question: bundled ones, and those from files."""
