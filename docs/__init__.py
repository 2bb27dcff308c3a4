"""The documentation: its pages, and the code that builds the site (`make docs`)."""
