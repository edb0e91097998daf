"""First steps for new users."""
