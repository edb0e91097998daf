"""``make run``: a supervisor that starts, monitors and stops all processes. Standard library and settings only."""
