"""The Room page: many people at tables of their own, or in one lesson together."""
