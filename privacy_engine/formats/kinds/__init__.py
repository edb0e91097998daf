"""The kinds of data that a file can hold: one module or folder here each, named after the kind."""
