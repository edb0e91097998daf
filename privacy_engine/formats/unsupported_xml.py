"""XML that holds no track that is read here: the refusal names what it is."""

from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Source
from privacy_engine.formats.xmltools import check, clean, looks_like_xml, root_name

_KNOWN = {"html": "a web page", "svg": "an SVG image", "osm": "an OSM extract"}


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """Refuse XML of another kind by the name of its root."""
    name = root_name(source.head)
    check(clean(source.read(), report))
    what = _KNOWN.get(name, f"XML of a kind that is not known here ({name[:40] or 'no root element'})")
    raise FormatError(f"This is {what}. Convert it to GPX or CSV and upload that.", code="unsupported_format")


OTHER_XML = register(Format("xml", "other XML", ("xml",), looks_like_xml, read, rank=80, hidden=True))
