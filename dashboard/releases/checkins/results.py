"""What the API returns of recommendations: plain numbers and text."""

from privacy_engine.analysis.results import Result


class RankedCell(Result):
    """One cell of a ranking, its box in degrees."""

    rank: int
    cell: int
    """0 in the south-west, 1 the next one to the east."""
    west: float
    south: float
    east: float
    north: float
    lon: float
    """Of the centre."""
    lat: float
    """Of the centre."""
    distance_m: float | None
    """From the centre of the last place of the history; null without one."""
    score: float
    """Of the model; larger is better."""
    share: float | None
    """Of the scores of all cells, those below zero counted as zero; null where no score is above zero."""


class Recommendation(Result):
    """The cells that a published model ranks first after a history."""

    history: list[int]
    """The cells of the history, repeats collapsed."""
    cells: list[RankedCell]
    of: int
    """How many cells the grid has."""


class ReferenceCell(Result):
    """What the model without privacy has of a cell that the published model recommends."""

    cell: int
    rank: int
    share: float | None


class Reference(Result):
    """Answers without privacy and without a model: what the owner compares a recommendation with."""

    history: list[int]
    markov: list[RankedCell]
    """By the non-private Markov model of the upload: never to be published."""
    nearest: list[RankedCell]
    """By the distance from the last place alone, which is public; the score is the distance with a minus sign."""
    recommended: list[ReferenceCell]
    """The cells that the published model ranks first, in its order, as the non-private model has them."""


class ModelMap(Result):
    """What a published model shows on a map."""

    west: float
    south: float
    east: float
    north: float
    columns: int
    rows: int
    densities: list[float] | None
    """The published mass of every cell; null where the model has none."""
    boxes: list[list[float]]
    """West, south, east and north of the boxes of its decomposition for what comes after the history."""


class Densities(Result):
    """How many check-ins of the upload lie in every cell of a release's grid: for the owner."""

    densities: list[int]


class UserHistory(Result):
    """The cells that one user visited last, for the owner."""

    user: str
    visits: int
    """Places in the box of the release, repeats collapsed."""
    history: list[int]
    """The last of them."""


class RankedVenue(Result):
    """One venue of a public list."""

    rank: int
    venue: str
    """Its identifier in the list."""
    name: str
    """Empty where the list has none."""
    lon: float
    lat: float
    count: int
    """As it was published, with noise: it may be below zero."""


class VenueRanking(Result):
    """The venues of a cell by their published counts, from a release that counts the venues of a public list."""

    cell: int
    venues: list[RankedVenue]


class HistoryUser(Result):
    """One user of the upload."""

    user: str
    checkins: int


class Histories(Result):
    """Users of the upload, those with the most check-ins first; with a user the history of that one."""

    users: list[HistoryUser]
    of: int
    """How many users the upload has."""
    shown: UserHistory | None
