"""How times are written in texts: a pattern for each form, with named groups of the parts."""

_CLOCK = (
    r"(?:[T ,]+(?P<h>[0-9]{1,2}):(?P<mi>[0-9]{1,2})(?::(?P<s>[0-9]{1,2})(?:[.,](?P<f>[0-9]{1,9})[0-9]*)?)?"
    r" ?(?P<ap>[AaPp]\.?[Mm]\.?)?)? ?(?P<z>Z|z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)?$"
)
_YEAR_FIRST = r"^(?P<y>[0-9]{4})[-/.](?P<mo>[0-9]{1,2})[-/.](?P<d>[0-9]{1,2})" + _CLOCK
_YEAR_LAST = r"^(?P<p>[0-9]{1,2})[-/.](?P<q>[0-9]{1,2})[-/.](?P<r>[0-9]{4}|[0-9]{2})" + _CLOCK
_COMPACT = (
    r"^(?P<y>(?:19|20)[0-9]{2})(?P<mo>0[1-9]|1[0-2])(?P<d>[0-3][0-9])"
    r"(?:[T ]?(?P<h>[0-9]{2})(?::?(?P<mi>[0-9]{2})(?::?(?P<s>[0-9]{2})(?:[.,](?P<f>[0-9]{1,9}))?)?)?"
    r"(?: ?(?P<ap>[AaPp]\.?[Mm]\.?))?)?"
    r"(?P<z>Z|z|[+-][0-9]{2}(?::?[0-9]{2})?)?$"
)
_SIX = (
    r"^(?P<p>[0-9]{2})(?P<q>[0-9]{2})(?P<r>[0-9]{2}) "
    r"(?P<h>[0-9]{2}):?(?P<mi>[0-9]{2}):?(?P<s>[0-9]{2})(?:\.(?P<f>[0-9]{1,9}))?$"
)
_YEAR_AFTER_CLOCK = (  # as mail and Foursquare write it: Tue Apr 03 18:00:09 +0000 2012
    r"^[A-Za-z]{3},? (?P<mo>[A-Za-z]{3})[A-Za-z]{0,6} +(?P<d>[0-9]{1,2}) "
    r"(?P<h>[0-9]{1,2}):(?P<mi>[0-9]{2}):(?P<s>[0-9]{2})(?:\.(?P<f>[0-9]{1,9}))?"
    r"(?: (?P<z>UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))? (?P<y>[0-9]{4})$"
)
_HOUR = (  # which Arrow reads as ISO 8601 too
    r"^(?P<y>[0-9]{4})-(?P<mo>[0-9]{2})-(?P<d>[0-9]{2})[T ](?P<h>[0-9]{2})(?P<mi>)(?P<s>)(?P<f>)"
    r"(?P<z>Z|[+-][0-9]{2}(?::?[0-9]{2})?)?$"
)
_MONTH = r"(?P<mo>(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[A-Za-z]{0,6})"
_DAY = r"^(?:[A-Za-z]{2,9},?\s+)?"
_DAY_MONTH = _DAY + rf"(?P<d>[0-9]{{1,2}})[\s-]{_MONTH}\.?[\s-](?P<y>[0-9]{{4}}|[0-9]{{2}})" + _CLOCK
_MONTH_DAY = _DAY + rf"{_MONTH}\.?\s+(?P<d>[0-9]{{1,2}}),?\s+(?P<y>[0-9]{{4}})" + _CLOCK
NAMED = (_YEAR_AFTER_CLOCK, _DAY_MONTH, _MONTH_DAY)
"""With the month by name, as mail and loggers write it."""
PATTERNS = (_YEAR_FIRST, _YEAR_LAST, _COMPACT, _SIX, _HOUR, *NAMED)
