"""Transcripts as tables for analysis."""
