"""The kinds of data that a file can hold: a module or folder here each, named after the kind."""
