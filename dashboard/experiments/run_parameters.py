"""The parameters of an experiment as a row of a table: which values each of them takes, with its label."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privacy_engine.core.params import Param, param_of
from privacy_engine.core.plurals import quantity
from privacy_engine.experiments.cells import Correlation
from privacy_engine.experiments.generated import generators
from privacy_engine.experiments.table import flattened
from privacy_engine.landmarks import dummy_methods, landmark_methods
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.postprocess import postprocesses

MECHANISM = "release.mechanism"
EPSILON, RADIUS = f"{MECHANISM}.epsilon", f"{MECHANISM}.radius_m"
REGISTRIES: dict[str, Any] = {
    MECHANISM: mechanisms,
    "release.postprocess": postprocesses,
    "landmarks": landmark_methods,
    "dummies": dummy_methods,
    "data": generators,
}
TITLES = {
    MECHANISM: "Mechanisms",
    "release.postprocess": "Post-processing",
    "landmarks": "Landmarks",
    "dummies": "Dummy landmarks",
    "data": "Generated data",
}
UNLISTED = {"landmarks": ("name", "seed"), "data": ("name", "seed")}
"""Parameters without a column: the experiment's seed decides those too."""
NAMED = 3  # mechanisms in a text; of more their number


@dataclass(frozen=True)
class Values:
    """The values of a parameter over the cells: their ``text``, and what a table is sorted by."""

    title: str
    text: str
    key: tuple[Any, ...]

    @property
    def numeric(self) -> bool:
        """Whether it is sorted as a number."""
        return _is_number(self.key[0])


def values_by_path(spec: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the different values that each place of a cell takes in a stored ``spec``, without parsing its cells.

    >>> spec = {"base": {"redraw": True, "release": {"mechanism": {"epsilon": 1}}}}
    >>> values_by_path(spec | {"grid": {"release.mechanism.epsilon": [1, 2]}})
    {'redraw': [True], 'release.mechanism.epsilon': [1, 2]}
    """
    values = {path: [value] for path, value in flattened(spec["base"]).items()}
    grid = spec.get("grid", {})
    for name in sorted(grid, key=lambda swept: (min(path.count(".") for path in swept.split(",")), swept)):
        paths = name.split(",")
        for i, path in enumerate(paths):
            for known in [place for place in values if place == path or place.startswith(f"{path}.")]:
                del values[known]
            for entry in grid[name]:
                _add(values, path, entry[i] if len(paths) > 1 else entry)
    return values


def _add(values: dict[str, list[Any]], path: str, value: Any) -> None:
    for place, item in flattened({path: value}).items():
        known = values.setdefault(place, [])
        if item is not None and item not in known:
            known.append(item)


def parameters(spec: Mapping[str, Any]) -> dict[str, Values]:
    """Return the parameters of a stored ``spec`` by their place in a cell; those of steps by the step's place."""
    by_path = values_by_path(spec)
    names = {place: names_of(by_path, place) for place in REGISTRIES}
    by_place = {place: _of_names(place, known) for place, known in names.items() if known}
    if levels := by_path.get(EPSILON):
        by_place[EPSILON] = Values("Level ε", level_text(by_path), (min(levels) / min(by_path.get(RADIUS) or [1.0]),))
    for path, values in by_path.items():
        place = _place_of(path)
        if path != EPSILON and place and values and path.rsplit(".", 1)[-1] not in UNLISTED.get(place, ("name",)):
            by_place[path] = _of_values(path, values, names[place])
    smoothings = by_path.get("correlation.smoothing")
    if smoothings:
        param = param_of(Correlation.model_fields["smoothing"])
        by_place["correlation"] = Values("Correlation", f"s = {_range(smoothings, param)}", _key(smoothings))
    for name in ("repetitions", "seed"):
        by_place[name] = Values(name.capitalize(), f"{spec[name]:,}", (spec[name],))
    return by_place


def level_text(by_path: Mapping[str, list[Any]]) -> str:
    """Return the levels and the radius they are within: "0.1–2 / 200 m"; "" without a mechanism."""
    levels, radii = by_path.get(EPSILON, []), by_path.get(RADIUS, [])
    if not levels:
        return ""
    return _range(levels, None) + (f" / {_range(radii, None)} m" if radii else "")


def titles_text(place: str, names: list[str]) -> str:
    """Return the titles of ``names`` in the registry of ``place``: "Skip, Uniform"; of many mechanisms their number."""
    if len(names) > NAMED and place == MECHANISM:
        return quantity(len(names), "mechanism")
    return ", ".join(str(REGISTRIES[place].shown(name).title) for name in names)


def names_of(by_path: Mapping[str, list[Any]], place: str) -> list[str]:
    """Return the registered names at a place, such as those of all mechanisms, each once."""
    of_place = [values for path, values in by_path.items() if path.startswith(f"{place}.") and path.endswith(".name")]
    names = [name for values in of_place for name in values]
    return list(dict.fromkeys(names))


def _of_names(place: str, names: list[str]) -> Values:
    text = titles_text(place, names)
    return Values(TITLES[place], text, (text.lower(),))


def _place_of(path: str) -> str:
    return next((place for place in REGISTRIES if path.startswith(f"{place}.")), "")


def _of_values(path: str, values: list[Any], names: list[str]) -> Values:
    last = path.rsplit(".", 1)[-1]
    registry = REGISTRIES[_place_of(path)]
    fields = (registry.shown(name).model_fields.get(last) for name in names)
    param = next((param for info in fields if info is not None and (param := param_of(info))), None)
    title = param.label if param else last.replace("_", " ").capitalize()
    if (place := _place_of(path)) != MECHANISM:
        title = f"{TITLES[place]}: {title[0].lower()}{title[1:]}"
    symbol = f" {param.symbol}" if param and param.symbol else ""
    return Values(f"{title}{symbol}", _range(values, param), _key(values))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _key(values: list[Any]) -> tuple[Any, ...]:
    return (min(values),) if all(map(_is_number, values)) else (", ".join(map(str, values)).lower(),)


def _range(values: list[Any], param: Param | None) -> str:
    """Return up to two values by themselves, of more numbers their ends, with the unit of ``param``."""
    share = param is not None and (param.lowest, param.highest) == (0, 1)
    unit = " %" if share else f" {param.unit}" if param and param.unit else ""
    if all(map(_is_number, values)):
        numbers = sorted(100 * value if share else value for value in values)
        texts = [f"{value:,.10g}" for value in numbers]
        return (", ".join(texts) if len(texts) < 3 else f"{texts[0]}–{texts[-1]}") + unit
    options = dict(param.options) if param else {}
    texts = [str(options.get(value, value)) for value in values]
    return ", ".join(texts) if len(texts) < 4 else f"{len(texts)} values"
