"""The base class of mechanisms for each kind of data."""
