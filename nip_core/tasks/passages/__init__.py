"""Passages with a question: those that come with the library, and files of others."""
