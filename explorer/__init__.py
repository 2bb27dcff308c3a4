"""NIP Explorer: everything between the rules and the screen."""

from explorer import former_paths as former_paths
