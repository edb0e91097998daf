"""What every part of the engine stands on: components and parameters, progress, files, messages."""
