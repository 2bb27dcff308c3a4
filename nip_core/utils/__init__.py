"""What the documented API keeps under ``utils``; it lives elsewhere."""
