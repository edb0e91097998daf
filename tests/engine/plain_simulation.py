"""Reference implementation of simulations: a loop over repetitions, a loop over time, one draw at a time."""

import math

import numpy as np

from privacy_engine import noise
from privacy_engine.core import geo
from privacy_engine.kernels import philox
from privacy_engine.kernels.joint import APART
from privacy_engine.mechanisms.landmark import Adaptive


def plain_errors(mechanism, series, landmarks, seed, repetition):
    """The error in metres of every event of one repetition; not a number where none is published."""
    truth = list(zip(series.lon.tolist(), series.lat.tolist(), strict=True))
    if isinstance(mechanism, Adaptive):
        released = _adaptive(mechanism, truth, landmarks.mask, seed, repetition)
    else:
        released = _fixed(mechanism, truth, landmarks.mask, seed, repetition)
    errors = zip(released, truth, strict=True)
    return [math.nan if at is None else float(geo.distance_m(*at, *was)) for at, was in errors]


def _moved(place, radius_m, bearing):
    lon, lat = geo.destination(*place, radius_m, bearing)
    return float(lon), float(lat)


def _drawn(place, rate, seed, repetition, event):
    radius_m, bearing = noise.simulated_polar([rate], seed=seed, repetition=repetition, first_event=event)
    return _moved(place, float(radius_m[0]), float(bearing[0]))


def _fixed(mechanism, truth, mask, seed, repetition):
    budgets = mechanism.budgets(mask)
    own, together = mechanism.independent(budgets, mask)
    joint = (budgets > 0) & (own == 0)
    reach = _reach(int(joint.sum()), together / mechanism.radius_m, seed, repetition) if together else 0.0
    released = []
    last = None
    for event, place in enumerate(truth):
        if joint[event]:
            last = _in_disc(place, reach, seed, repetition, event)
        elif budgets[event]:
            last = _drawn(place, budgets[event] / mechanism.radius_m, seed, repetition, event)
        released.append(last)
    if getattr(mechanism, "leading", "back-fill") == "back-fill":
        first = next(at for at in released if at is not None)
        released = [first if at is None else at for at in released]
    return released


def _uniforms(key, *counter):
    words = philox.words(np.array([counter], dtype=np.uint64), np.asarray(key, dtype=np.uint64))[0]
    return [(int(word) + 0.5) / 2**32 for word in words]


def _in_disc(place, reach, seed, repetition, event):
    share, _, turn, _ = _uniforms(noise.simulated_key(seed), event, 0, repetition, 0)
    angle = 2 * math.asin(math.sqrt(share) * math.sin(reach / 2))
    return _moved(place, angle * geo.EARTH_RADIUS_M, 2 * math.pi * turn)


def _reach(count, epsilon_per_m, seed, repetition):
    """As ``noise.reach.Reaches``, an angle of at most pi, from numbers of its own."""
    key = noise.simulated_key(seed)
    key[0] ^= APART
    rate, power = epsilon_per_m * geo.EARTH_RADIUS_M, 2 * count
    mode = 2 * math.atan2(count, rate)
    steepness = power / mode
    top = power * math.log(math.sin(mode / 2) / mode) + (steepness - rate) * mode
    near = math.exp(min(top + math.lgamma(power + 1) - (power + 1) * math.log(steepness), 300))
    far = math.exp(-rate * math.pi) / rate
    for attempt in range(0, 2000, 2):
        which, accept, _, _ = _uniforms(key, 0, 0, repetition, attempt)
        if which < far / (near + far):
            return math.pi
        ones = [u for i in range(power // 4 + 1) for u in _uniforms(key, i, 0, repetition, attempt + 1)]
        angle = -sum(math.log(u) for u in ones[: power + 1]) / steepness
        if angle < math.pi and accept <= math.exp(
            power * math.log(math.sin(angle / 2) / angle) + (steepness - rate) * angle - top
        ):
            return angle
    raise AssertionError("no attempt was kept")


def _adaptive(how, truth, mask, seed, repetition):
    to_come = int(mask.sum())
    slot = 1 if to_come < len(mask) else 0
    first_share, spent, interval, waited = how.epsilon / max(to_come + slot, 1), 0.0, 1, 0
    released = []
    last = None
    for event, (place, landmark) in enumerate(zip(truth, mask.tolist(), strict=True)):
        waited += landmark
        share = (how.epsilon - spent) / max(to_come + slot, 1)
        if how.redistribution == "absorption":
            share = first_share * (waited if landmark else 1)
        to_come -= landmark
        if landmark and waited < interval:
            released.append(last)
            continue
        if landmark:
            spent, waited = spent + share, 0
        at = _drawn(place, share / how.radius_m, seed, repetition, event)
        if last is not None:
            interval = 1 if float(geo.distance_m(*last, *at)) > how.threshold_m(share) else interval + 1
        last = at
        released.append(last)
    return released
