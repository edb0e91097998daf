"""The projects app: who may read and change what, by owner and by role in a project."""
