"""NIP Explorer: everything between the rules and the screen."""

# Another distribution has a package of the same name; the command checks that this one is there.
PRODUCT = "NIP Explorer"
