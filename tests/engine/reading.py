"""Small files of every format, and how tests read them."""

import gzip
import io
import json
import zipfile

from privacy_engine.data import Trajectory
from privacy_engine.formats import Reading, read

CSV = b"user,time,lat,lon\n" + b"".join(b"u1,2024-06-15T10:3%d:00Z,52.52%d,13.40%d\n" % (i, i, i) for i in range(5))
GPX = (
    b'<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>'
    b'<trkpt lat="52.5" lon="13.4"><ele>3</ele><time>2024-06-15T10:30:00Z</time></trkpt>'
    b'<trkpt lat="52.6" lon="13.5"><time>2024-06-15T10:31:00Z</time></trkpt></trkseg></trk></gpx>'
)
GEOJSON = json.dumps(
    {
        "type": "Feature",
        "properties": {"coordTimes": ["2024-06-15T10:30:00Z", "2024-06-15T10:31:00Z"]},
        "geometry": {"type": "LineString", "coordinates": [[13.4, 52.5], [13.5, 52.6]]},
    }
).encode()
PLT = (
    b"Geolife trajectory\r\nWGS 84\r\nAltitude is in Feet\r\nReserved 3\r\n0,2,255,My Track,0,0,2,8421376\r\n0\r\n"
    b"39.984702,116.318417,0,492,39744.1201851852,2008-10-23,02:53:04\r\n"
)
TDRIVE = b"1,2008-02-02 15:36:08,116.51172,39.92123\r\n1,2008-02-02 15:46:08,116.51135,39.93883\r\n"


def of(data: bytes, name: str = "x", **values: object) -> Reading:
    return read(io.BytesIO(data), name=name, **values)


def seconds(one: Trajectory) -> list[float]:
    assert one.time_s is not None
    return list(one.time_s.tolist())


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/"), data)
    return out.getvalue()


VALID = [CSV, GPX, GEOJSON, PLT, TDRIVE, gzip.compress(CSV), zipped(a=CSV, b=GPX)]
