"""Dummy landmarks: what their selection costs, by its budget and by what it keeps alike."""

from typing import Any, ClassVar, Literal

from privacy_engine.experiments.presets.base import SeriesPreset, presets, scheme

BUDGET_SHARES = (0.001, 0.01, 0.1, 0.25, 0.5)


@presets.register
class DummySelectionCost(SeriesPreset):
    """What dummies cost, by the share of ε = 1 that their selection takes and by what it keeps alike [1]_.

    As in the thesis the selection and the release share one ε: the release keeps what the selection leaves. Cairn's
    ledger never adds the two, as one is plain and the other per metre. The selection promises nothing about which
    events are landmarks.

    References
    ----------
    .. [1] Katsomallos. PhD thesis, "Protecting landmarks".
    """

    title: ClassVar[str] = "Error with dummy landmarks"
    summary: ClassVar[str] = "Mean absolute error with dummies, by the budget of their selection and what it preserves."
    metrics: ClassVar[tuple[str, ...]] = ("error", "marked-share", "temporal-distance")

    name: Literal["dummy-selection"] = "dummy-selection"

    def base(self) -> dict[str, Any]:
        return super().base() | {"release": scheme("uniform")}

    def grid(self) -> dict[str, list[Any]]:
        dummies = [
            {"name": "dummies-heuristic", "evaluation": "gaps"},
            {"name": "dummies-heuristic", "evaluation": "nearest"},
            {"name": "dummies-partitioned", "distance": "euclidean"},
            {"name": "dummies-partitioned", "distance": "wasserstein"},
        ]
        return {
            "dummies": dummies,
            # both are set together: a value is a pair
            "dummies.epsilon,release.mechanism.epsilon": [[share, 1.0 - share] for share in BUDGET_SHARES],
            "landmarks.share": [0.2, 0.4, 0.6, 0.8],
        }
