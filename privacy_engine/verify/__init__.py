"""Verification of exported files: digest, label, and numbers on the declared grid.

It detects damage or other data: a digit changed, a label of another release, a point off the grid. It cannot detect
forgery, since a label is not signed, and it proves nothing about how the noise was drawn.
"""

from privacy_engine.verify.checks import Check, Verification, verify

__all__ = ["Check", "Verification", "verify"]
