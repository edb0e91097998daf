"""Counter-based noise for experiments: the same law, many times faster, never private."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privacy_engine.core.arrays import Floats, ceil_div
from privacy_engine.core.progress import reported
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.noise.sources import RandomSource, Stream, seeded
from privacy_engine.noise.validation import checked_rates


def simulated_polar(
    epsilon_per_m: ArrayLike, *, seed: int, repetition: int | ArrayLike = 0, first_event: int = 0
) -> tuple[Floats, Floats]:
    """Planar Laplace noise for experiments as ``(radius_m, bearing_rad)``, a great-circle distance and 0..2π.

    The draw of an event is a function of ``seed``, ``repetition`` and the event's number: the same bits on every
    processor and however a series is cut into pieces, of which the next starts at ``first_event``. Seeds and
    repetitions are independent of each other and of what ``seeded`` draws. Uniforms have 32 bits.

    **Never private**: whoever knows the seed can subtract it.

    Parameters
    ----------
    epsilon_per_m : (n,) array_like
        Per metre, finite and greater than 0, a rate for each event.
    seed : int
        At least 0, of any size.
    repetition : int or (r,) array_like of int
        Below 2**32. With an array both results are (r, n), otherwise (n,).
    first_event : int
        The number of the first event, at least 0.

    Raises
    ------
    ParameterError
        One of them is out of its domain.
    DataError
        ``epsilon_per_m`` is not a vector.
    """
    from privacy_engine.kernels.philox import polar

    scale_m = scales_m(np.atleast_1d(np.asarray(epsilon_per_m, dtype=np.float64)))
    key, first, streams = _streams(simulated_key(seed), repetition, first_event)
    radius_m, bearing_rad = np.empty((2, len(streams), *scale_m.shape))
    for row, stream in enumerate(reported(streams)):
        polar(key, stream, first, scale_m, radius_m[row], bearing_rad[row])
    return (radius_m, bearing_rad) if np.ndim(repetition) else (radius_m[0], bearing_rad[0])


def simulated_laplace(
    epsilon: ArrayLike, sensitivity: float, *, seed: int, repetition: int | ArrayLike = 0, first_event: int = 0
) -> Floats:
    """Laplace noise of scale ``sensitivity`` / ``epsilon`` for experiments, in the unit of ``sensitivity``.

    As :func:`simulated_polar`: the same arguments, shapes and errors, the same bits everywhere, and **never private**.
    Independent of what it draws. One draw has 32 bits, so none lies beyond 22.2 scales.

    Parameters
    ----------
    epsilon : (n,) array_like
        Finite and greater than 0, a rate for each event.
    sensitivity : float
        Finite and greater than 0.

    >>> noise = simulated_laplace([1.0, 1.0, 0.1], 1.0, seed=1)
    >>> noise.round(2).tolist()
    [-0.13, 2.01, -9.92]
    """
    from privacy_engine.kernels.laplace import laplace

    reach = float(checked_rates(sensitivity, "sensitivity"))
    scale = _scales(np.atleast_1d(np.asarray(epsilon, dtype=np.float64)), "epsilon", reach)
    key, first, streams = _streams(_key(seed, Stream.LAPLACE), repetition, first_event)
    out = np.empty((len(streams), *scale.shape))
    for row, stream in enumerate(reported(streams)):
        laplace(key, stream, first, scale, out[row])
    return out if np.ndim(repetition) else out[0]


def simulated_key(seed: int, *stream: int) -> NDArray[np.uint64]:
    """The key of the planar noise of ``seed``, (2,); with ``stream`` of another key, independent of it."""
    return _key(seed, Stream.PLANAR, *stream)


def simulated_releases(seed: int, repetition: int, *stream: int) -> RandomSource:
    """What a mechanism releases with in a repetition of a simulation; independent of all other noise of ``seed``."""
    words = _key(seed, Stream.RELEASES, *stream, counted(repetition, "repetition", 2**32)).tolist()
    return seeded(np.random.Generator(np.random.Philox(key=words[0] << 32 | words[1])))


def _key(seed: int, *stream: int) -> NDArray[np.uint64]:
    """That of ``SeedSequence(seed, spawn_key=stream)``, whose numbers are below 2**32, in a third of the time."""
    seed = counted(seed, "seed", None)
    words = np.frombuffer(seed.to_bytes(4 * max(4, ceil_div(seed.bit_length(), 32)), "little"), dtype="<u4").tolist()
    return np.random.SeedSequence(np.array([*words, *stream], dtype=np.uint32)).generate_state(2).astype(np.uint64)


def scales_m(epsilon_per_m: Floats) -> Floats:
    """The scale of simulated planar noise in metres, at most 1e300, (n,); ParameterError outside the domain."""
    return _scales(epsilon_per_m, "epsilon_per_m", 1.0)


def _scales(rates: Floats, field: str, sensitivity: float) -> Floats:
    if rates.ndim != 1:
        raise _misshapen(field, "be one-dimensional", rates)
    with np.errstate(over="ignore"):
        return np.asarray(np.minimum(sensitivity / checked_rates(rates, field), 1e300))


def _streams(
    key: NDArray[np.uint64], repetition: int | ArrayLike, first_event: int
) -> tuple[NDArray[np.uint64], np.uint64, list[np.uint64]]:
    first = np.uint64(counted(first_event, "first_event", 2**63))
    several = np.atleast_1d(np.asarray(repetition)).tolist()
    return key, first, [np.uint64(counted(number, "repetition", 2**32)) for number in several]


def _misshapen(field: str, rule: str, values: Floats) -> DataError:
    return DataError(f"{field} must {rule}, got {values.shape}", field=field, rule=rule, value=values.shape)


def counted(value: int, field: str, below: int | None) -> int:
    """``value`` if it is a whole number of at least 0 and below ``below``, or a ParameterError on ``field``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0 or (below and value >= below):
        rule = "be a whole number of at least 0" + (f" and below {below}" if below else "")
        raise ParameterError(f"{field} must {rule}, got {value}", field=field, rule=rule, value=value)
    return int(value)


def simulated_planar(
    lon: ArrayLike,
    lat: ArrayLike,
    epsilon_per_m: ArrayLike,
    *,
    seed: int,
    repetition: int | ArrayLike = 0,
    first_event: int = 0,
) -> tuple[Floats, Floats]:
    """``planar_laplace`` for experiments: the same law, arguments and errors of :func:`simulated_polar`.

    ``lon`` and ``lat`` (n,) in degrees; ``epsilon_per_m`` broadcasts over them. Returns ``(lon, lat)``, each (n,), or
    (r, n) for r repetitions. Never private.

    >>> here = [8.5, 8.6], [47.3, 47.4]
    >>> whole = simulated_planar(*here, 0.01, seed=1)
    >>> second = simulated_planar([8.6], [47.4], 0.01, seed=1, first_event=1)
    >>> bool(whole[0][1] == second[0][0])
    True
    """
    from privacy_engine.kernels.philox import move, polar

    lon, lat = (np.array(degrees, dtype=np.float64, ndmin=1) for degrees in (lon, lat))
    if lon.shape != lat.shape:
        raise _misshapen("lat", f"be as many as lon, {lon.shape}", lat)
    epsilon = np.asarray(epsilon_per_m, dtype=np.float64)
    if epsilon.ndim and epsilon.shape != lon.shape:
        raise _misshapen("epsilon_per_m", f"be one or as many as lon, {lon.shape}", epsilon)
    scale_m = scales_m(np.broadcast_to(epsilon, lon.shape))
    key, first, streams = _streams(simulated_key(seed), repetition, first_event)
    (radius_m, bearing_rad), (to_lon, to_lat) = np.empty((2, *lon.shape)), np.empty((2, len(streams), *lon.shape))
    for row, stream in enumerate(reported(streams)):
        polar(key, stream, first, scale_m, radius_m, bearing_rad)
        move(lon, lat, radius_m, bearing_rad, to_lon[row], to_lat[row])
    return (to_lon, to_lat) if np.ndim(repetition) else (to_lon[0], to_lat[0])
