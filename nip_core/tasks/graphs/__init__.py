"""Tasks about the isomorphism of two graphs."""
