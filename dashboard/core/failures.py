"""Every code a job can end with: what happened, and what to do about it. The only list; drawer, pages and API show it.

A failure is stored as ``{code, message, …}``; the message is about this very job. What is derived here is not stored,
so that a better text applies to old failures too. ``tests/dashboard/test_datasets_jobs.py`` finds every code in the
sources.
"""

import logging
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from billiard.exceptions import SoftTimeLimitExceeded

from dashboard.core.storage_errors import DamagedFile
from dashboard.core.text import storable
from privacy_engine.core.disk import is_full
from privacy_engine.errors import EngineError

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Advice:
    """``what`` happened, in a sentence; what to do, in another; whether the same job may end better ``again``."""

    what: str
    action: str
    again: bool = False


_RESAVE = "Save it again in the program it came from, and upload it again."
_COLUMNS = "Open the dataset and name the columns under “Import settings”."
_OTHER_FILE = "Upload a location history: the form names the formats, and a ZIP of such files is read too."
_UNPACK = "Unpack it and upload the files inside."
_START_AGAIN = "Delete it and start a new one from the present state."

ADVICE: Mapping[str, Advice] = {
    # of the worker
    "memory": Advice(
        "The job needed more memory than one job may use.",
        "Retry when less is running. If it fails again, split the file into parts, or raise the memory limit.",
        again=True,
    ),
    "time-limit": Advice(
        "The job took longer than one job may take.",
        "Retry when less is running. If it fails again, choose a quicker mechanism or a shorter file.",
        again=True,
    ),
    "disk-full": Advice(
        "The disk of the server is full.",
        "Delete what is no longer needed, or let the administrator make space; then retry.",
        again=True,
    ),
    "damaged_file": Advice(
        "A stored file that the job reads is damaged.",
        "Let the administrator restore it from a backup; then retry.",
        again=True,
    ),
    "crashed": Advice(
        "The job ended its worker process several times and was stopped.",
        "Retry once. If it fails again, report its id: the worker’s log has the reason.",
        again=True,
    ),
    "no-progress": Advice(
        "The job made no progress for a long time and was stopped.",
        "Retry once. If it fails again, report its id and the stage.",
        again=True,
    ),
    "internal": Advice(
        "Internal error.",
        "Retry. If it fails again, report its id: the log has the place of the error.",
        again=True,
    ),
    # of the request
    "engine-error": Advice("The request cannot be computed on these events.", _START_AGAIN),
    "parameter": Advice("A parameter is not valid for these events.", "Start again with another value."),
    "data": Advice("The events are not a valid series.", "Upload the file again and read its report."),
    "budget": Advice("The budget does not suffice.", "Choose a smaller level or a larger radius, or raise the limit."),
    "conflict": Advice("Its source has changed meanwhile.", _START_AGAIN),
    "source-gone": Advice("The release it derives from was deleted.", "Smooth another finished release."),
    "quota": Advice(
        "The uploads of the account would exceed its limit.",
        "Delete datasets that are no longer needed, or let the administrator raise the limit.",
    ),
    "too-large": Advice("It exceeds a limit of this server.", "Split the file and upload the parts."),
    # of a file
    "choice-needed": Advice(
        "The file is ambiguous: it can be read in more than one way.",
        "Open the dataset and choose one of the readings there.",
    ),
    "unreadable": Advice("The file cannot be read.", _OTHER_FILE),
    "archive": Advice("An archive is read for trajectories only.", _UNPACK),
    "bad_fit": Advice("The FIT file is damaged or cut off.", "Copy it from the device again and upload it again."),
    "bad_geopackage": Advice("The GeoPackage is damaged or too complex.", _RESAVE),
    "bad_encoding": Advice("The text is not in its declared encoding.", "Save it as UTF-8 and upload it again."),
    "utf16_without_bom": Advice("The text seems to be UTF-16.", "Save it as UTF-8 and upload it again."),
    "bad_json": Advice("The JSON is damaged or cut off.", _RESAVE),
    "bad_xml": Advice("The XML is damaged or cut off.", _RESAVE),
    "bad_vector_file": Advice("The shapefile or FlatGeobuf is damaged or cut off.", _RESAVE),
    "part_of_shapefile": Advice(
        "A shapefile is several files, and one of them is missing.",
        "Put its .shp, .shx, .dbf and .prj into one ZIP and upload that.",
    ),
    "bad_moving_point": Advice(
        "A moving feature does not have one instant for each position.", "Correct that feature and upload it again."
    ),
    "bad_parquet": Advice("The Parquet file is damaged or of an unsupported kind.", _RESAVE),
    "bad_feather": Advice("The Feather or Arrow file is damaged or of an unsupported kind.", _RESAVE),
    "old_feather": Advice("Feather of version 1 is not read.", "Save it as Feather version 2, Parquet or CSV."),
    "bad_workbook": Advice("The workbook is damaged.", "Save it again as .xlsx or CSV and upload that."),
    "unknown_sheet": Advice("The workbook has no sheet of that name.", "Name one of its sheets, or none."),
    "bad_quoting": Advice("A quoted cell is never closed.", "Correct the quotation marks there and upload it again."),
    "bad_times": Advice(
        "None of the times can be read.",
        "Open the dataset and choose their column or time format under “Import settings”.",
    ),
    "bad_marks": Advice(
        "The landmark column cannot be read.",
        "Write 1 or 0 in it, or choose another column under “Import settings”.",
    ),
    "compression_ratio": Advice("The file expands to far more than its size.", _UNPACK),
    "damaged_archive": Advice("The archive is damaged or cut off.", "Pack it again and upload it again."),
    "empty": Advice("The file is empty.", "Choose the file that holds the positions."),
    "empty_archive": Advice("The archive holds no file to read.", _OTHER_FILE),
    "encrypted": Advice("The archive is encrypted.", "Pack it without a password and upload it again."),
    "line_too_long": Advice("A line is too long for a table of positions.", _OTHER_FILE),
    "mixed_times": Advice("Some files have times and others have none.", "Upload those with times separately."),
    "nested_archive": Advice("There is an archive inside the archive.", _UNPACK),
    "no_points": Advice(
        "Nothing in the file can be used as a position.",
        "Open the dataset: its report has the reasons; name the columns under “Import settings”.",
    ),
    "no_folder": Advice(
        "The archive has no folders that identify people.",
        "Open the dataset and choose under “Import settings” what identifies a person.",
    ),
    "no_person": Advice(
        "The column of the people is empty.",
        "Open the dataset and choose another one under “Import settings”.",
    ),
    "no_checkin_columns": Advice("The columns of the check-ins were not found.", _COLUMNS),
    "no_position_columns": Advice("The columns of the positions were not found.", _COLUMNS),
    "no_rows": Advice("The file has a header but no rows.", "Choose the file that holds the positions."),
    "no_track": Advice("The file holds no track.", "Export the track as GPX or CSV and upload that."),
    "not_geojson": Advice("This JSON is no GeoJSON.", "Export the positions as GeoJSON or CSV and upload that."),
    "not_gpx": Advice("This XML is no GPX.", "Export the track as GPX or CSV and upload that."),
    "not_kml": Advice("This XML is no KML.", "Export the track as KML, GPX or CSV and upload that."),
    "not_tcx": Advice("This XML is no TCX.", "Export the track as TCX, GPX or CSV and upload that."),
    "other_kind": Advice("This is not a location file.", _OTHER_FILE),
    "long_rows": Advice("Rows have more cells than the header has names.", "Name every column in the header."),
    "repeated_names": Advice("Several rows or columns have one name.", "Give each a name of its own and upload that."),
    "same_column": Advice("One column cannot be both longitude and latitude.", _COLUMNS),
    "too_deep": Advice("The JSON is nested too deeply.", "Export the positions as GeoJSON or CSV and upload that."),
    "too_large": Advice("The file is larger than this server accepts.", "Split it and upload the parts."),
    "several_tables": Advice(
        "The archive has several tables of check-ins, or several lists of venues.",
        "Put one table, and at most one list of venues, into an archive of its own and upload that.",
    ),
    "no_venue_columns": Advice(
        "The columns of the list of venues were not found.",
        "Name the columns of place, latitude and longitude in its first line, and upload the archive again.",
    ),
    "no_venues": Advice(
        "No venue of the list has an identifier and a position.",
        "Correct the list, or upload the check-ins without it.",
    ),
    "too_many_members": Advice("The archive has too many files.", "Split it and upload the parts."),
    "too_many_series": Advice(
        "The file splits into too many series.",
        "Open the dataset and choose the column of the person under “Import settings”.",
    ),
    "separator": Advice(
        "The names of the streams contain every character that could separate the parts of a path.",
        "Replace one of them in the columns of names, then upload the file again.",
    ),
    "no_times": Advice("The column of counts you named stands beside no column of times.", _COLUMNS),
    "too_many_names": Advice(
        "The table has too many columns beside its times and its counts to name the streams by.",
        "Keep the columns that name what is counted, or name no column of counts, then upload the file again.",
    ),
    "unknown_column": Advice("A column you named is not in the file.", _COLUMNS),
    "missing-package": Advice(
        "Reading it needs a package that is not installed.",
        "Install the extra that the error names and start Cairn again, or upload it as a GeoPackage or GeoJSON.",
    ),
    "unknown_format": Advice("The format is unknown.", _OTHER_FILE),
    "unsupported_column": Advice("A column holds neither numbers nor text.", _COLUMNS),
    "unsupported_crs": Advice(
        "The coordinate or temporal reference system is unknown.", "Convert it to degrees (EPSG:4326) and UTC."
    ),
    "unsupported_format": Advice("This format is not supported.", "Export the track as GPX or CSV and upload that."),
    "xml_limit": Advice(
        "The XML has a tag or comment that is too long, or elements too deep inside each other.",
        "Export the positions as GeoJSON or CSV and upload that.",
    ),
    # of maps of areas
    "map-unreached": Advice(
        "The host of the map archive did not answer.",
        "Retry later, or let the administrator check the address of the archive.",
        again=True,
    ),
    "map-answer": Advice(
        "The host of the map archive did not answer with the part of the file that was requested.",
        "Let the administrator check its address: the host must answer requests for ranges. Retry then.",
        again=True,
    ),
    "map-changed": Advice("The map archive was replaced while it was read.", "Retry.", again=True),
    "map-too-large": Advice(
        "The map of this area is larger than what is fetched for one.",
        "Upload a PMTiles file of the part that you need under “Base map”.",
    ),
    "not-pmtiles": Advice(
        "The map archive is no PMTiles archive that Cairn can draw, or holds nothing of the area.",
        "Let the administrator check the address of the archive.",
    ),
    "xml_doctype": Advice("The file has a DOCTYPE, which can hide attacks.", "Remove that line and upload it again."),
}


def explained(error: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A stored failure with its ``action``, and ``again``: whether a retry may help.

    >>> explained({"code": "empty", "message": "The file is empty."})["action"]
    'Choose the file that holds the positions.'
    """
    if error is None:
        return None
    advice = ADVICE.get(str(error.get("code")), ADVICE["internal"])
    return {"message": advice.what, **error, "action": advice.action, "again": advice.again}


class StoredFailure(Exception):
    """What a row keeps already, as the failure of another job of which its job is a part."""

    def __init__(self, stored: dict[str, Any]) -> None:
        super().__init__(stored["message"])
        self.stored = stored


def failure(error: Exception, job: str) -> dict[str, Any]:
    """What the row of ``job`` keeps of an error, and never a value from the data."""
    if isinstance(error, StoredFailure):
        return error.stored
    if _is_over_time(error):
        return stored_failure("time-limit")
    if isinstance(error, EngineError):
        return dict(storable(error.as_dict()))
    if isinstance(error, MemoryError):
        return stored_failure("memory")
    if is_full(error):
        return stored_failure("disk-full")
    if isinstance(error, DamagedFile):
        return {"code": DamagedFile.code, "message": str(error)}
    # the frames, never the message: it may hold a coordinate
    frames = " < ".join(
        f"{f.filename.rsplit('/', 1)[-1]}:{f.lineno}" for f in reversed(traceback.extract_tb(error.__traceback__))
    )
    logger.error("%s failed: %s at %s", job, type(error).__name__, frames)
    return stored_failure("internal")


def _is_over_time(error: BaseException | None) -> bool:
    """Whether the soft limit ended the job: libraries that it is raised in may raise an error of their own instead."""
    seen: set[int] = set()  # an error may be its own cause
    while error is not None and id(error) not in seen:
        if isinstance(error, SoftTimeLimitExceeded):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def stored_failure(code: str) -> dict[str, Any]:
    """A failure by its code, as a row keeps it."""
    return {"code": code, "message": ADVICE[code].what}
