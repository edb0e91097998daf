"""The commands that need no server: ``cairn release FILE …``, and the same under manage.py. A command is a module."""

PROGRAM = "cairn"
NAMES = (
    "aggregate",
    "audit",
    "check-mechanism",
    "experiment",
    "formats",
    "read",
    "release",
    "stays",
    "trips",
    "verify",
)
"""The modules of this package that hold a command, each a class of the same name, in their spelling."""
