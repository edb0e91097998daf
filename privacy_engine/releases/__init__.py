"""The description of a release, and the label that its files carry."""
