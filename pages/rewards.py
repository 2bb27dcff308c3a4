"""What each seat of a protocol is worth, exactly."""

from explorer.ui import rewards

rewards.show_page()
