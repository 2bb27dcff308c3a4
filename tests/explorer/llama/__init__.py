"""A real model server, with tiny models of random weights that we write ourselves."""
