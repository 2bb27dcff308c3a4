"""The Play page: choosing what to play, and the table."""
