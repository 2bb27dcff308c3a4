"""An episode at a table: what a seat is shown, who sits where, and how play goes on."""
