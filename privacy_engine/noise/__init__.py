"""Noise and randomness. Scales are computed only here, and nothing else in Cairn draws randomness.

Two sources with the same interface:

* :func:`publishable`: the operating system's generator. What is drawn from it may be published.
* :func:`seeded`: Philox keyed by a seed. What is drawn from it is a simulation, repeatable and never private.

:func:`planar_laplace`, :func:`joint_planar`, :func:`discrete_laplace`, :func:`exponential_mechanism` and
:func:`covered` draw exactly from either: real-number samplers, rounded (docs/decisions/0016-exact-noise.md).

Experiments that repeat a release many times draw from :func:`simulated_planar` and :func:`simulated_laplace` instead:
the same laws, many times faster, each draw a function of (seed, repetition, event) alone.

A source is made inside the job that uses it and never stored at module level: forked workers would share it.
"""

from privacy_engine.noise.buffered import (
    BufferedLaplace,
    BufferedThresholds,
    discrete_laplace_mean,
    discrete_laplace_sd,
)
from privacy_engine.noise.choice import (
    coin_level,
    cover_probability,
    covered,
    drawn_in_groups,
    exponential_mechanism,
    exponential_mechanisms,
    exponential_weights,
    gumbel_drawn,
    gumbel_top,
)
from privacy_engine.noise.discrete import SMALLEST_RATE, discrete_laplace
from privacy_engine.noise.grid import GRID_DEG, on_grid
from privacy_engine.noise.joint import joint_mean_m, joint_planar, joint_sd_m
from privacy_engine.noise.planar import (
    planar_cells,
    planar_laplace,
    planar_mean_m,
    planar_quantile_m,
    planar_sd_m,
)
from privacy_engine.noise.simulated import (
    counted,
    scales_m,
    simulated_key,
    simulated_laplace,
    simulated_planar,
    simulated_polar,
    simulated_releases,
)
from privacy_engine.noise.sources import (
    RandomSource,
    Stream,
    as_source,
    branches,
    part_uniform,
    publishable,
    seeded,
    source,
    spawned,
    watched,
)
