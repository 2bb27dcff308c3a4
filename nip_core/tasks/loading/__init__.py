"""Tasks from untrusted files."""
