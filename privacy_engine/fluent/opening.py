"""``read``, ``sample`` and ``catalogue``: what a notebook starts with."""

import os
from collections.abc import Callable, Collection, Mapping
from typing import Any, BinaryIO

from privacy_engine import formats
from privacy_engine.datatypes import datatypes
from privacy_engine.datatypes.tables import Table
from privacy_engine.errors import ParameterError, shown
from privacy_engine.fluent.base import Original
from privacy_engine.fluent.frames import as_parquet, is_frame
from privacy_engine.fluent.trajectories import TrajectoryData
from privacy_engine.formats import KINDS, Reading, table_kinds
from privacy_engine.formats.option_choices import NAMED_COLUMN, PEOPLE
from privacy_engine.landmarks import landmark_methods
from privacy_engine.landmarks.samples import samples
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.postprocess import postprocesses
from privacy_engine.registry import Adapters, Registry

_CLASSES: Adapters[Callable[..., Original]] = Adapters("privacy_engine.fluent")
_LISTS: Mapping[str, Registry[Any]] = {
    "landmarks": landmark_methods,
    "postprocess": postprocesses,
    **{kind: mechanisms.of(kind) for kind in KINDS},
}


def read(
    source: str | os.PathLike[str] | BinaryIO | Any,
    *,
    kind: str | None = None,
    person: str | None = None,
    **options: Any,
) -> Any:
    """Read a file or a data frame.

    Parameters
    ----------
    source : path, binary file or data frame
        In any format that Cairn reads (docs/reference/formats.md), or a table of pandas, geopandas, polars or pyarrow.
    kind : str, optional
        ``trajectory``, ``stream`` or ``checkins``; without it the columns decide, with ``person`` it is trajectories.
    person : str, optional
        What identifies a person: ``one``, ``series``, ``file``, ``folder``, or the name of a column.
    **options
        Reading options, those of :func:`privacy_engine.formats.options`: ``lon="x"``, ``time_zone="Europe/Paris"``.

    Returns
    -------
    TrajectoryData, CountData or CheckInData
        With the ``report`` of the reading.

    Raises
    ------
    FormatError
        It cannot be read.
    ChoiceNeeded
        There are several readings; ``parameter`` is the option that decides.
    ParameterError
        An option is not known or outside its domain.
    """
    if person is not None:
        options["person"] = _person(person)
    kinds = _kinds(kind, options)
    if is_frame(source):
        return _data(formats.read(as_parquet(source), name="dataframe.parquet", kinds=kinds, **options))
    return _data(formats.read(source, kinds=kinds, **options))


def _person(person: str) -> str:
    known = (value for value, _ in PEOPLE)
    return person if person.startswith(NAMED_COLUMN) or person in known else f"{NAMED_COLUMN}{person}"


def _kinds(kind: str | None, options: Mapping[str, Any]) -> Collection[str]:
    if kind is not None:
        return (kind,)
    return [name for name, entry in table_kinds.items() if entry.by_format] if options.get("person") else KINDS


def _data(reading: Reading) -> Original:
    return _CLASSES[reading.kind](reading.data, reading.report)


def sample(name: str) -> TrajectoryData:
    """Generated trajectories to try things on; ParameterError names the samples that there are."""
    known = {example.name: example for example in samples()}
    if name not in known:
        rule = f"one of {', '.join(known)}"
        raise ParameterError(f"sample must be {rule}, got {shown(name)!r}", field="name", rule=rule, value=name)
    return TrajectoryData([known[name].series])


def catalogue(what: str) -> Table:
    """What is registered: mechanisms of a kind of data, methods of landmarks, or steps of post-processing.

    Parameters
    ----------
    what : str
        ``trajectory``, ``stream`` or ``checkins`` (mechanisms), ``landmarks`` or ``postprocess``.

    Raises
    ------
    ParameterError
        ``what`` is none of these.
    """
    if what not in _LISTS:
        raise ParameterError.must_be("what", f"one of {', '.join(_LISTS)}", what, got=f"{shown(what)!r}")
    rows = [
        {
            "name": cls.registered_name(),
            "title": cls.title,
            "parameters": ", ".join(_parameter(field) for field in cls.fields()),
            "summary": cls.summary,
        }
        for cls in _LISTS[what]
    ]
    title = f"Mechanisms: {datatypes[what].title.lower()}" if what in datatypes else what.capitalize()
    return Table(title, rows)


def _parameter(field: Mapping[str, Any]) -> str:
    return str(field["name"] if field["required"] else f"[{field['name']}]")
