"""What reading options may be set to: values and what they mean."""

Choices = tuple[tuple[str, str], ...]

ZONES: Choices = (
    ("UTC", "UTC (Greenwich, no summer time)"),
    ("Europe/London", "London, Lisbon, Dublin"),
    ("Europe/Berlin", "Berlin, Paris, Madrid, Rome"),
    ("Europe/Athens", "Athens, Helsinki, Kyiv"),
    ("Europe/Moscow", "Moscow, Istanbul"),
    ("Asia/Dubai", "Dubai"),
    ("Asia/Kolkata", "Delhi, Mumbai"),
    ("Asia/Bangkok", "Bangkok, Jakarta"),
    ("Asia/Shanghai", "Beijing, Shanghai, Singapore"),
    ("Asia/Tokyo", "Tokyo, Seoul"),
    ("Australia/Sydney", "Sydney, Melbourne"),
    ("Pacific/Auckland", "Auckland"),
    ("America/Sao_Paulo", "São Paulo, Buenos Aires"),
    ("America/New_York", "New York, Toronto"),
    ("America/Chicago", "Chicago, Mexico City"),
    ("America/Denver", "Denver"),
    ("America/Los_Angeles", "Los Angeles, Vancouver"),
)
DELIMITERS: Choices = ((",", "comma"), (";", "semicolon"), ("tab", "tab"), ("|", "vertical bar"), ("space", "space"))
DECIMALS: Choices = ((".", "point: 52.52"), (",", "comma: 52,52"))
SWAP: Choices = (("yes", "swap longitude and latitude"), ("no", "leave them as labelled"))
LON_RANGES: Choices = (
    ("180", "from -180 to 180: more is not on the globe"),
    ("360", "from 0 to 360: degrees to the east"),
)
DATE_ORDERS: Choices = (
    ("dmy", "day, month, year: 31/12/2024"),
    ("mdy", "month, day, year: 12/31/2024"),
    ("ymd", "year, month, day: 24/12/31"),
)
TIME_UNITS: Choices = (
    ("s", "seconds since 1970"),
    ("ms", "milliseconds since 1970"),
    ("us", "microseconds since 1970"),
    ("ns", "nanoseconds since 1970"),
    ("days", "days since 1899-12-30 (spreadsheets, OziExplorer)"),
    ("size", "each in the unit that its size implies"),
    ("date", "digits of a date: 20241231, 20241231235959"),
    ("none", "no times: labels of the rows of a table of counts"),
)
ENCODINGS: Choices = (("UTF-8", "UTF-8"), ("Latin-1", "Latin-1"), ("UTF-16", "UTF-16"), ("UTF-32", "UTF-32"))
ZEROS: Choices = (("position", "a position"), ("none", "no position"))
SERIES_NAMES: Choices = (("id", "its own name"), ("person", "the person, then its own name"))
FOURTH: Choices = (("time", "the time of the position"), ("none", "nothing that is read"))
ENDS: Choices = (("time", "one of the same time"), ("place", "one of the same time and place"))
PARTS: Choices = (
    ("trkpt", "track points"),
    ("rtept", "route points"),
    ("wpt", "waypoints"),
    ("tracks", "positions of tracks"),
    ("timed", "placemarks with a time"),
    ("untimed", "placemarks without a time"),
)
THOUSANDS: Choices = (
    (",", "comma: 1,234"),
    (".", "point: 1.234"),
    ("space", "space: 1 234"),
    ("'", "apostrophe: 1'234"),
    ("none", "nothing: 1.234 is a fraction"),
)
WITHHELD: Choices = (("0", "as 0"), ("leave_out", "left out, with all counts of that time"))
AUTOMATIC: Choices = (("no", "nothing: what no option states is not looked for"),)
PEOPLE: Choices = (
    ("one", "everything is one person"),
    ("series", "each series is a person"),
    ("file", "each file is a person"),
    ("folder", "each folder of an archive is a person"),
)
NAMED_COLUMN = "column:"
SYSTEMS: Choices = (
    ("EPSG:4326", "degrees (WGS 84)"),
    ("E7", "degrees × 10,000,000"),
    ("SEMICIRCLES", "semicircles, of which 2,147,483,648 are 180 degrees (Garmin)"),
    ("DDMM", "degrees and minutes: 5230.5034 is 52° 30.5034′"),
    ("EPSG:3857", "metres, Web Mercator"),
)
