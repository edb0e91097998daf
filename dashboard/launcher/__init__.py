"""``make run``: one supervisor that starts the house, watches it and stops it. Standard library and settings only."""
