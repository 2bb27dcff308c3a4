"""An episode at a table: seats, screen, loans of models, and keeping."""
