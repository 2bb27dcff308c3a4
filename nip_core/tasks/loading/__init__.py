"""Tasks from files that anybody may have made."""
