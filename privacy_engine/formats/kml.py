"""KML and other XML that is not read yet: a polite refusal that says what to do. Links are never followed."""

from __future__ import annotations

import re

from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Source
from privacy_engine.formats.xmltools import check, clean, looks_like_xml, root_name

_TRACK = re.compile(rb"<(?:[\w.-]+:)?(?:Track|LineString|coordinates|coord|when)[\s/>]")


def read_kml(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """Refuse a KML file, and say whether there is a track in it to convert."""
    data = clean(source.read(), report)
    check(data)
    if not _TRACK.search(data):
        raise FormatError("No track in this KML. Links in it are not followed.", code="no_track")
    message = "KML is not supported yet. Convert the file to GPX or CSV and upload that."
    raise FormatError(message, code="unsupported_format")


def read_other(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """Refuse XML of another kind by the name of its root."""
    name = root_name(source.head)
    check(clean(source.read(), report))
    known = {
        "trainingcenterdatabase": "a TCX file",
        "html": "a web page",
        "svg": "an SVG image",
        "osm": "an OSM extract",
    }
    what = known.get(name, f"XML of a kind that is not known here ({name[:40] or 'no root element'})")
    raise FormatError(f"This is {what}. Convert it to GPX or CSV and upload that.", code="unsupported_format")


KML = register(
    Format("kml", "KML", ("kml",), lambda head: looks_like_xml(head) and root_name(head) == "kml", read_kml, rank=21)
)
OTHER_XML = register(Format("xml", "other XML", ("xml", "tcx"), looks_like_xml, read_other, rank=80))
