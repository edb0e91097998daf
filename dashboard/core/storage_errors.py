"""Errors of the storage of files: a storage on another host that does not answer, and a stored file that is damaged."""

_SUBJECTS = {
    "accountexports": "an account export",
    "area-maps": "map of an area",
    "attacks": "attack",
    "base-maps": "base map",
    "blocks": "an experiment",
    "datasets": "dataset",
    "events": "hashes of events",
    "experiments": "experiment",
    "publications": "a publication",
    "releases": "release",
    "uploads": "upload",
}
_PARTS = {
    "original": "the file as it was uploaded",
    "points": "its points",
    "errors": "the errors of a release",
    "budgets": "its budgets",
    "label": "its label",
    "table": "its table",
    "export": "an export",
}


class StorageUnavailable(Exception):
    """The storage did not carry out a request after its repetitions; the same may succeed later.

    No :class:`OSError`: readers of files would take it for a damaged file, and it is no property of any.
    """


class DamagedFile(Exception):
    """A stored file is not what was stored: nothing of it is served before it is restored.

    No :class:`OSError` and no ``ValueError``: nothing that handles an unreadable upload may take it for such.

    >>> str(DamagedFile("releases/3f/budgets-a.parquet"))
    'The stored file of release 3f (its budgets) is damaged: restore it from a backup.'
    """

    code = "damaged_file"

    def __init__(self, name: str) -> None:
        folder, _, rest = name.partition("/")
        row, _, file = rest.partition("/")
        subject = _SUBJECTS.get(folder, "the installation")
        whose = subject if " " in subject and subject != "base map" else f"{subject} {row}"
        what = next((part for start, part in _PARTS.items() if file.startswith(start)), "its data")
        super().__init__(f"The stored file of {whose} ({what}) is damaged: restore it from a backup.")
        self.name = name
