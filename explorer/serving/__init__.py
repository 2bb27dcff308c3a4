"""What stands between the network and the app: who may ask, for what, and how much."""
