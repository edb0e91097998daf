"""Releases: what they read, what they publish, and the label that every file of them carries."""
