"""The schedule, without the screen: which parameters change it, and what can be taken away."""
