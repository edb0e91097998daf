"""``Origin``: the package that a component of someone else's comes from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Origin:
    """A package and its version.

    >>> Origin("own-mechanism", "0.1.0").mark
    'own-mechanism 0.1.0, not reviewed'
    """

    package: str
    version: str

    def __str__(self) -> str:
        return f"{self.package} {self.version}".rstrip()

    @property
    def mark(self) -> str:
        """What stands beside a component of this package wherever it is named."""
        return f"{self}, not reviewed"
