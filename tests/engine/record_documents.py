"""Generators of GeoJSON and its relatives, JSON of trackers, XML and logs for :mod:`tests.engine.record_files`."""

from tests.engine import format_samples as samples
from tests.engine.record_files import DATES, OTHER, UNITS, File, Record, Style, encoded, json_of, makes, records, text

_JSON = ("zero", "far", "beyond", "west", "e7", "empty", "untimed", "undated", "order", "zoned", "unit", "letters")


def _style(rng, **given):
    given = {"units": ("degrees", "degrees", "swapped", "e7")} | given
    return Style(rng, texts=False, odd=_JSON, foreign=True, **given)


def _point(one, keys, rng):
    properties = {keys[0]: one.user, keys[1]: one.time}
    properties |= {key: rng.choice(("yes", "no", True, None)) for key in keys[2:]}
    if rng.random() < 0.1:
        del properties[keys[0]]
    feature, odd = samples.feature("Point", [one.lon, one.lat], **properties), rng.random()
    if odd < 0.05:
        feature["geometry"] = rng.choice((None, {"type": "Polygon", "coordinates": []}))
    elif odd < 0.1:
        feature["crs"] = {"type": "name", "properties": {"name": "EPSG:3857"}}
    return feature


def _points(rng):
    style = _style(rng)
    keys = (rng.choice(("user", "id", "name", "trip_id")), rng.choice(("time", "timestamp", "when")))
    keys += ("landmark",) if rng.random() < 0.2 else ()
    return *records(style, lambda one: _point(one, keys, rng)), style


def _line(rng, style, ways):
    """Features that are lines of one to three positions, whose times are written in one of ``ways``."""
    user = rng.choice(("user", "trip_id", "none"))

    def feature(number):
        way, between = rng.choice(ways), ()
        fixes = [style.fix(number * 2 + i) for i in range(2 if way == "ends" else rng.randint(1, 3))]
        places = [[one.lon, one.lat] for one in fixes]
        properties = {user: fixes[0].user}
        if way == "list":
            properties["coordTimes"] = [one.time for one in fixes]
        elif way == "ends":
            properties |= {"prev_t": fixes[0].time, "t": fixes[-1].time}
            if rng.random() < 0.3:
                places = [*places[:1], [1.0 + number / 100, 2.0], *places[1:]]
                between = (2.0,)
        elif way == "fourth":
            places = [[one.lon, one.lat, 0, one.time_s + rng.choice((0, 0, -(9**6)))] for one in fixes]
        kind = "LineString" if rng.random() < 0.9 else "MultiPoint"
        geometry = {"type": kind, "coordinates": places}
        if kind == "LineString" and way != "ends" and rng.random() < 0.1:
            geometry = {"type": "MultiLineString", "coordinates": [places]}
        feature = {"type": "Feature", "geometry": geometry, "properties": properties}
        return Record(feature, (*(one.known for one in fixes), *between))

    return feature


def _lines(rng):
    style = _style(rng)
    feature = _line(rng, style, rng.choice((("list",), ("ends",), ("fourth",), ("list", "ends", "fourth", "none"))))
    return [feature(i) for i in range(style.count)], feature(OTHER // 2), style


def listed(key, **more):
    return lambda of: json_of({**more, key: [one.cells for one in of]})


@makes("geojson")
def geojson(rng):
    found, other, style = rng.choice((_points, _points, _lines))(rng)
    key = rng.choice(("features", "features", "locations"))
    return File("x.geojson", "trajectory", found, other, listed(key), style.options)


@makes("geojson")
def vertices(rng):
    style = _style(rng)
    fourth = rng.random() < 0.5

    def cells(one):
        place = [one.lon, one.lat]
        return ([*place, 5, one.time_s], None) if fourth and one.odd != "untimed" else (place, one.time)

    found, other = records(style, cells)

    def render(of):
        properties = {} if fourth else {"coordTimes": [one.cells[1] for one in of]}
        geometry = {"type": "LineString", "coordinates": [one.cells[0] for one in of]}
        return json_of({"type": "Feature", "geometry": geometry, "properties": properties})

    return File("x.geojson", "trajectory", found, other, render, style.options, ordered=True)


@makes("geojsonseq")
def geojsonseq(rng):
    found, other, style = rng.choice((_points, _points, _lines))(rng)

    def render(of):
        return b"".join(b"\x1e" + json_of(one.cells) + b"\n" for one in of)

    return File("x.geojsons", "trajectory", found, other, render, style.options)


@makes("mfjson")
def mfjson(rng):
    style = _style(rng, times=("iso", "naive", "ms", "offset"))
    key = rng.choice(("user", "id", "", "name"))

    def feature(number):
        fixes = [style.fix(number * 3 + i) for i in range(rng.randint(1, 3))]
        moving = {"type": rng.choice(["MovingPoint"] * 19 + ["MovingPolygon"])}
        moving |= {"coordinates": [[one.lon, one.lat] for one in fixes], "datetimes": [one.time for one in fixes]}
        cells = {"type": "Feature", "properties": {key: fixes[0].user} if key not in ("", "id") else {}}
        cells |= {"id": f"f{number}"} if key == "id" else {}
        return Record(cells | {"temporalGeometry": moving}, tuple(one.known for one in fixes))

    found = [feature(i) for i in range(min(style.count, 20))]
    render = listed("features", type="FeatureCollection")
    return File("x.mfjson", "trajectory", found, feature(OTHER // 3), render, style.options)


@makes("json")
def nested(rng):
    style = _style(rng, units=("degrees", "e7"))

    def cells(one):
        found = {"user": one.user, "coords": {"lat": one.lat, "lon": one.lon}, "time": one.time}
        if rng.random() < 0.15:
            found["place"] = {"lat": 1.0, "lon": 2.0}
        if rng.random() < 0.1:
            found["coords"] = None
        return found

    found, other = records(style, cells)
    return File("x.json", "trajectory", found, other, lambda of: json_of([one.cells for one in of]))


@makes("json")
def several_lists(rng):
    style = _style(rng, units=("degrees", "e7"))
    keys = rng.choice((("a", "b"), ("a", "b", "c"), ("b", "a/~")))
    inner = rng.random() < 0.4

    def cells(one):
        found = {"time": one.time, "user": one.user}
        return rng.choice(keys), found | ({"lat": one.lat, "lon": one.lon} if rng.random() < 0.9 else {})

    found, other = records(style, cells)

    def render(of):
        lists = {key: [one.cells[1] for one in of if one.cells[0] == key] for key in keys}
        return json_of({"version": "é[{", "data": lists, "end": 1} if inner else lists)

    return File("x.json", "trajectory", found, other, render, style.options)


@makes("owntracks")
def owntracks(rng):
    style = _style(rng, times=("s", "s", "ms"), units=("degrees", "swapped"))
    topics, lines = rng.random() < 0.7, rng.random() < 0.7

    def cells(one):
        found = {"_type": "location" if one.odd != "far" else "transition", "lat": one.lat, "lon": one.lon}
        found |= {"tst": one.time, "tid": one.user[:2]}
        return found | ({"topic": f"owntracks/{one.user}/phone"} if topics and one.odd != "west" else {})

    found, other = records(style, cells)

    def render(of):
        if not lines:
            return json_of({"count": 1, "data": [one.cells for one in of]})
        return b"".join(b"2024-06-15T12:09:00Z\t*\t" + json_of(one.cells) + b"\n" for one in of)

    return File("x.rec" if lines else "x.json", "trajectory", found, other, render, style.options)


@makes("takeout")
def takeout(rng):
    style = _style(rng, times=("iso", "iso", "offset", "naive", "ms"), units=("degrees",))
    key = rng.choice(("locations", "semanticSegments", "timelineObjects"))

    def cells(one):
        degrees = isinstance(one.lon, float) and isinstance(one.lat, float)
        number = [round(value * 1e7) if degrees else value for value in (one.lat, one.lon)]
        e7 = dict(zip(("latitudeE7", "longitudeE7"), number, strict=True))
        if key == "locations":
            return e7 | {"timestamp": one.time, "source": one.tail}
        if key == "timelineObjects":
            duration = {"startTimestamp": one.time}
            return {"placeVisit": {"location": e7, "duration": duration}}
        geo = f"geo:{one.lat},{one.lon}"
        place = {"latLng": geo} if rng.random() < 0.5 else e7 if rng.random() < 0.3 else geo
        return {"startTime": one.time, "visit": {"topCandidate": {"placeLocation": place}}}

    found, other = records(style, cells)
    return File("x.json", "trajectory", found, other, listed(key), style.options)


_XML = ("zero", "far", "beyond", "west", "e7", "untimed", "undated", "order", "zoned", "unit", "letters", "comma")


def _xml(rng, cells, name, render):
    units = ("degrees", "degrees", "swapped", "e7")
    style = Style(rng, times=[*DATES, *UNITS, "none"], units=units, odd=_XML, foreign=True)
    found, other = records(style, cells)
    return File(name, "trajectory", found, other, render, style.options, ordered=True)


def _element(name, value):
    return "" if value is None else f"<{name}>{value}</{name}>"


@makes("gpx")
def gpx(rng):
    kinds = rng.choice((("trkpt",), ("trkpt",), ("wpt",), ("rtept",), ("trkpt", "wpt", "wpt"), ("rtept", "wpt")))
    ours = ' creator="Cairn"' if rng.random() < 0.2 else ""

    def cells(one):
        kind = rng.choice(kinds)
        inner = _element("time", one.time) + _element("desc", one.tail or None)
        return kind, f'<{kind} lat="{one.lat}" lon="{one.lon}">{inner}</{kind}>', one.user

    def render(of):
        outside = "".join(one.cells[1] for one in of if one.cells[0] == "wpt")
        for kind, begin, end in (("rtept", "<rte>", "</rte>"), ("trkpt", "<trk>{}<trkseg>", "</trkseg></trk>")):
            of_kind = [one for one in of if one.cells[0] == kind]
            users = sorted({one.cells[2] for one in of_kind})
            for user in users if ours else [None]:
                inside = "".join(one.cells[1] for one in of_kind if user in (None, one.cells[2]))
                outside += begin.format(f"<name>{user}</name>" if user else "") + inside + end if inside else ""
        return encoded(f'<gpx version="1.1"{ours} xmlns="http://www.topografix.com/GPX/1/1">{outside}</gpx>')

    return _xml(rng, cells, "x.gpx", render)


@makes("kml")
def kml(rng):
    ways = rng.choice((("track",), ("when",), ("none",), ("span", "when"), ("track", "when", "none"), ("none", "when")))

    def cells(one):
        way = rng.choice(ways)
        if way == "track":
            return _element("when", one.time or ""), f"<gx:coord>{one.lon} {one.lat}</gx:coord>"
        inner = "" if way == "none" else _element("TimeStamp", _element("when", one.time))
        if way == "span":
            inner = _element("TimeSpan", _element("begin", one.time))
        point = _element("Point", _element("coordinates", f"{one.lon},{one.lat}"))
        return _element("Placemark", _element("name", one.tail or None) + inner + point)

    def render(of):
        pairs = [one.cells for one in of if isinstance(one.cells, tuple)]
        track = "".join(when for when, _ in pairs) + "".join(place for _, place in pairs)
        track = f"<Placemark><gx:Track>{track}</gx:Track></Placemark>" if pairs else ""
        marks = "".join(one.cells for one in of if isinstance(one.cells, str))
        names = 'xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"'
        return encoded(f"<kml {names}><Document>{marks}{track}</Document></kml>")

    return _xml(rng, cells, "x.kml", render)


@makes("tcx")
def tcx(rng):
    def cells(one):
        place = _element("LatitudeDegrees", one.lat) + _element("LongitudeDegrees", one.lon)
        inner = _element("Notes", one.tail or None) + _element("Time", one.time) + _element("Position", place)
        return _element("Trackpoint", inner)

    def render(of):
        inner = "".join(one.cells for one in of)
        root = "TrainingCenterDatabase"
        inside = f"<Activities><Activity><Lap><Track>{inner}</Track></Lap></Activity></Activities>"
        return encoded(f'<{root} xmlns="http://www.garmin.com/xmlschemas/{root}/v2">{inside}</{root}>')

    return _xml(rng, cells, "x.tcx", render)


def _angle(value, letters, digits):
    if not isinstance(value, float):
        return f"{text(value)},{letters[0]}"
    whole = int(abs(value))
    return f"{whole:0{digits}d}{(abs(value) - whole) * 60:09.6f},{letters[value < 0]}"


@makes("nmea")
def nmea(rng):
    """Sentences: each with its date, or some whose date is that of those before."""
    odd = ("zero", "far", "west", "empty", "untimed", "early", "letters")
    style = Style(rng, texts=False, units=("degrees",), times=("iso",), odd=odd, foreign=True)
    style.days = rng.choice((0, 0, 1))
    kinds = rng.choice((("RMC",), ("RMC", "GGA"), ("GGA",), ("RMC", "GGA", "GLL", "ZDA")))

    def cells(one):
        kind = rng.choice(kinds)
        stamp = style.written(one.time_s, "digits")
        clock = stamp[8:] if one.odd != "untimed" else ""
        date = f"{stamp[6:8]}{stamp[4:6]}{stamp[2:4]}" if rng.random() < 0.9 or kinds == ("RMC",) else ""
        place = f"{_angle(one.lat, 'NS', 2)},{_angle(one.lon, 'EW', 3)}"
        body = {
            "RMC": f"GPRMC,{clock},A,{place},0.1,0.0,{date},,,A",
            "GGA": f"GPGGA,{clock},{place},1,08,1.0,30.0,M,0.0,M,,",
            "GLL": f"GPGLL,{place},{clock},A",
            "ZDA": f"GPZDA,{clock},{stamp[6:8]},{stamp[4:6]},{stamp[:4]},00,00",
        }[kind]
        return encoded(f"${body}{one.tail}\r\n")

    found, other = records(style, cells)
    return File("x.nmea", "trajectory", found, other, lambda of: b"".join(one.cells for one in of), ordered=True)


@makes("igc")
def igc(rng):
    odd = ("zero", "west", "early", "letters")
    style = Style(rng, texts=False, units=("degrees",), times=("iso",), odd=odd, foreign=True)
    style.days = rng.choice((0, 0, 1))

    def cells(one):
        clock = style.written(one.time_s, "digits")[8:]
        lat, lon = (value if isinstance(value, float) else 0.0 for value in (one.lat, one.lon))
        lat, lon = abs(lat), lon - 360 if lon > 180 else lon
        parts = [f"{int(one):0{n}d}{round((one % 1) * 60_000) % 60_000:05d}" for one, n in ((lat, 2), (abs(lon), 3))]
        fix = f"B{clock}{parts[0]}N{parts[1]}{'EW'[lon < 0]}A0043800463{one.tail}\r\n"
        return encoded(fix if one.odd != "letters" else fix[:9] + "\r\n")

    found, other = records(style, cells)
    begin = b"ALXNQKFFLIGHT:3\r\n" + (b"HFDTE150624\r\n" if rng.random() < 0.8 else b"HFPLTPILOT:a\r\n")
    return File("x.igc", "trajectory", found, other, lambda of: begin + b"".join(x.cells for x in of), ordered=True)
