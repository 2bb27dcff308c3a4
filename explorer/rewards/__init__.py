"""What the Rewards page asks and answers, without the screen."""
