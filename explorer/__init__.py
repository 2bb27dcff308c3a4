"""NIP Explorer: everything between the rules and the screen."""
