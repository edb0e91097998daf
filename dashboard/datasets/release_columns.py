"""The columns of tables of releases, a line each: heads, cells and colspans follow on the server and in the browser."""

from typing import NamedTuple

TRAJECTORY, STREAM, CHECKINS = ("trajectory",), ("stream",), ("checkins",)
EVERY = (*TRAJECTORY, *STREAM, *CHECKINS)
OWNER = "Measured against the original; private"


class Column(NamedTuple):
    """A column of the ``tables`` of releases of ``kinds``.

    ``key`` names its value among those that a table has of a release, ``show`` what formats it: a filter of templates
    and its like in static/js/components/release_columns.js. ``term`` is a name of the glossary, ``hint`` the tooltip of
    the head. Only the owner has the columns that are ``private``.
    """

    key: str
    title: str
    show: str
    tables: str
    kinds: tuple[str, ...]
    term: str = ""
    hint: str = ""
    private: bool = False

    @property
    def is_number(self) -> bool:
        """Whether one name of a figure has one value wherever a page shows it."""
        return self.show in ("metres", "number")


COLUMNS = (
    Column("epsilon", "ε", "exact", "picker overview", EVERY, term="epsilon"),
    Column("radius_m", "Radius", "metres", "dataset picker compare overview", TRAJECTORY, term="radius"),
    Column("window", "Window", "whole", "overview", STREAM),
    Column("noise_sd", "Noise of one new count", "at_least", "overview", (*STREAM, *CHECKINS)),
    Column("noise_mean_m", "Mean noise", "metres", "overview", TRAJECTORY),
    Column("noise_p95_m", "95 % of noise within", "metres", "overview", TRAJECTORY),
    Column("expected_m", "Expected error", "metres", "overview", TRAJECTORY, private=True),
    Column("mae_m", "Mean error", "metres", "compare overview measured", TRAJECTORY, term="mean-error", private=True),
    Column("median_error_m", "Typical error", "metres", "picker compare measured", TRAJECTORY, "typical-error"),
    Column("p95_error_m", "95 %", "metres", "compare measured", TRAJECTORY, hint="95 % of errors are at most this"),
    Column("max_error_m", "Largest", "metres", "measured", TRAJECTORY, hint="The largest error"),
    Column("verdict", "Verdict", "verdict", "picker compare measured", TRAJECTORY, term="verdict"),
    Column("judged", "Typical error", "judged", "dataset", TRAJECTORY, hint=OWNER),
    Column("measured", "Error", "figures", "dataset", (*STREAM, *CHECKINS), hint=OWNER),
    Column("budget", "Budget, ε", "span", "compare", TRAJECTORY),
    Column("loss", "Temporal loss, at most", "number", "compare overview", TRAJECTORY, term="temporal-loss"),
)


def columns_of(table: str, kind: str, owner: bool = True) -> list[Column]:
    """The columns of a table of releases of a kind of data, in their order."""
    return [
        column
        for column in COLUMNS
        if table in column.tables.split() and kind in column.kinds and (owner or not column.private)
    ]
