"""What the engine is timed beside: each algorithm as one would write it in plain Python, and with numpy."""
