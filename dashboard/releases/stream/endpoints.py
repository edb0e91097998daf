"""What releases of count streams have addresses for."""

ADAPTER = {
    "counts": "Of count streams, like the next four.",
    "heat-map": "",
    "comparison": "",
    "grouping": "",
    "detection": "",
}
