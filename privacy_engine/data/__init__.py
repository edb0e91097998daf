"""Kinds of data, and what is made of them before any mechanism: people, grids, hierarchies, hashes of events."""

from privacy_engine.data.types import LARGEST_COUNT, CheckIns, CountStream, LandmarkSet, Release, Trajectory

__all__ = ["LARGEST_COUNT", "CheckIns", "CountStream", "LandmarkSet", "Release", "Trajectory"]
