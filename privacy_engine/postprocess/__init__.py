"""Post-processing: steps that make a release better out of itself, at no cost of privacy.

A step reads a release and nothing else, so whatever a mechanism guarantees still holds. One file each, registered.
"""

# ruff: noqa: I001  (the order of registration is the order of forms)

from privacy_engine.postprocess.random_walk import RandomWalkSmoother
from privacy_engine.postprocess.ornstein_uhlenbeck import OUSmoother
from privacy_engine.postprocess.causal import CausalFilter
from privacy_engine.postprocess.base import PostProcess, postprocesses

__all__ = ["CausalFilter", "OUSmoother", "PostProcess", "RandomWalkSmoother", "postprocesses"]
