"""Which changed copies of an upload its hashes do not recognise; ``tests/test_claims_results.py`` measures them."""

NOT_FOUND = (
    "positions rounded to 2 decimals",
    "positions moved by 200 m, as another geodetic datum does",
    "longitude and latitude exchanged",
    "times rounded to the hour",
    "times 5 minutes later",
    "times a week later",
    "another time zone and positions rounded to 3 decimals",
    "another time zone and times cut off to the minute",
    "means of 30 minutes",
    "less than half of the events in another time zone",
    "less than half of the events, with positions rounded to 3 decimals",
    "times left out of one of two uploads",
    "positions without times, rounded to 5 decimals",
    "check-ins without positions, places named in another way",
    "check-ins with positions, and with places alone",
    "counts: in another time zone",
    "counts: every count changed",
    "counts: streams named in another way",
    "counts, and the events that they are of",
)
"""Copies of which hardly any event is recognised."""

FOUND_IN_PART = (
    "positions with noise of 30 m (standard deviation to the north and to the east)",
    "positions with noise of 100 m",
    "times rounded to 5 minutes",
    "means of 5 minutes",
    "positions interpolated at other times",
    "check-ins without positions, times cut off to the minute",
    "counts: sums of two timestamps",
)
"""Copies of which some events are recognised, or none, depending on how close together the events are."""
