"""Questions of people who saw only tasks, and what scripted provers answer to them."""
