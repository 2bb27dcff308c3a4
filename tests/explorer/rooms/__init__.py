"""Rooms, without a screen."""
