"""Ways to mark landmarks in short, as the command line takes them."""

import re
from collections.abc import Callable
from typing import Any

from privacy_engine.errors import ParameterError
from privacy_engine.landmarks.methods import LandmarkMethod, landmark_methods
from privacy_engine.landmarks.schedule import SHORT_RULE, parse_short_schedule
from privacy_engine.landmarks.zone_geojson import zones_from_geojson

_DURATIONS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_DISTANCES = {"m": 1.0, "km": 1000.0}
_SHARE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,10})?)(%?)")
_RULE = (
    f"{SHORT_RULE}, stay-points:DISTANCE:DURATION (stay-points:200m:30min), manual:EVENT,EVENT,…, "
    "synthetic:SHARE:DISTRIBUTION:SEED (synthetic:20%:uniform:1) or column"
)


def parse_short(text: str, *, read: Callable[[str], bytes] | None = None) -> LandmarkMethod:
    """The method written in short. With ``read``, which opens a file by its name, also ``zones:FILE.geojson``.

    Raises
    ------
    ParameterError
        The text means nothing, or a value in it lies outside its domain.

    Examples
    --------
    >>> parse_short("stay-points:200m:30min").describe()
    'stay points 200 m, 30 min'
    >>> parse_short("manual:0,2,4,7").describe()
    '4 selected manually'
    >>> parse_short("synthetic:20%:bimodal:7").describe()
    'random 20 %, bimodal, seed 7'
    """
    name, _, rest = text.partition(":")
    parts = rest.split(":")
    description: dict[str, Any] = {"name": name}
    if name == "zones" and rest and read is not None:
        return zones_from_geojson(read(rest))
    if name == "schedule":
        return parse_short_schedule(rest)
    if name == "stay-points" and len(parts) == 2:
        description["distance_m"] = _quantity(parts[0], _DISTANCES, "distance")
        description["duration_s"] = _quantity(parts[1], _DURATIONS, "duration")
    elif name == "manual" and re.fullmatch(r"manual:([0-9]{1,15}(,[0-9]{1,15})*)?", text):
        description["events"] = [int(part) for part in rest.split(",") if part]
    elif name == "synthetic" and len(parts) == 3 and re.fullmatch(r"[0-9]{1,17}", parts[2]):
        description |= {"share": _share(parts[0]), "distribution": parts[1], "seed": int(parts[2])}
    elif text != "column":
        rule = _RULE.replace(" or column", ", column or zones:FILE.geojson") if read else _RULE
        raise ParameterError.must_be("landmarks", rule, text)
    return landmark_methods.parse(description, field="landmarks")


def _quantity(text: str, units: dict[str, float], what: str) -> float:
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([a-z]+)", text)
    if not match or match[2] not in units:
        raise _refused(what, f"a number with its unit ({', '.join(units)})", text)
    return float(match[1]) * units[match[2]]


def _share(text: str) -> float:
    match = _SHARE.fullmatch(text)
    if not match:
        raise _refused("share", "a number from 0 to 1 or with %", text)
    return float(match[1]) / (100 if match[2] else 1)


def _refused(what: str, rule: str, text: str) -> ParameterError:
    return ParameterError(f"{what} must be {rule}, got {text!r:.60}", field=f"landmarks.{what}", rule=rule, value=text)
