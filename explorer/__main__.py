"""``python -m explorer`` does what ``nip-explorer`` does."""

from explorer.cli import main

main()
