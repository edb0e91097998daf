"""Errors of published count streams, by the level and by the window."""

from typing import Any, ClassVar, Literal

from privacy_engine.core.params import Repetitions
from privacy_engine.data import CountStream
from privacy_engine.experiments.generated import Dimensions, PoissonStream, Timestamps
from privacy_engine.experiments.inputs import Given
from privacy_engine.experiments.presets.base import ReleasePreset, presets

DENSE, SPARSE = 100.0, 0.5
"""Mean counts of the generated streams: far above and far below w/ε of most of the sweep."""
USUAL = {"epsilon": 1.0, "window": 20, "sensitivity": 1}


class StreamError(ReleasePreset):
    """Base: errors of every stream mechanism, on a dense and a sparse generated stream or on a dataset [1]_.

    References
    ----------
    .. [1] Kellaris, Papadopoulos, Xiao, Papadias. "Differentially private event sequences over infinite streams".
       VLDB 2014. (The measures; the generated streams are Cairn's.)
    """

    kind: ClassVar[str] = CountStream.kind
    metrics: ClassVar[tuple[Any, ...]] = ("stream-mean-absolute-error", "stream-relative-error")

    repetitions: Repetitions = 30
    timestamps: Timestamps = 200
    dimensions: Dimensions = 5

    def parameters(self, given: Given | None) -> dict[str, Any]:
        return USUAL

    def generated(self) -> list[dict[str, Any]]:
        size: dict[str, Any] = {"timestamps": self.timestamps, "dimensions": self.dimensions, "seed": self.seed}
        return [PoissonStream(**size, mean=mean).model_dump() for mean in (DENSE, SPARSE)]


@presets.register
class StreamErrorByEpsilon(StreamError):
    """Errors of every stream mechanism for levels from 0.1 to 10 in any 20 timestamps [1]_."""

    title: ClassVar[str] = "Stream error by level"
    summary: ClassVar[str] = "Absolute and relative error of the stream mechanisms over the level ε."

    name: Literal["stream-epsilon"] = "stream-epsilon"

    def grid(self, given: Given | None = None) -> dict[str, list[Any]]:
        return {"release.mechanism.epsilon": [0.1, 0.3, 1.0, 3.0, 10.0]}


@presets.register
class StreamErrorByWindow(StreamError):
    """Errors of every stream mechanism for windows of 1 to 200 timestamps at ε = 1 [1]_."""

    title: ClassVar[str] = "Stream error by window"
    summary: ClassVar[str] = "Absolute and relative error of the stream mechanisms over the window w."

    name: Literal["stream-window"] = "stream-window"

    def grid(self, given: Given | None = None) -> dict[str, list[Any]]:
        return {"release.mechanism.window": [1, 2, 5, 10, 20, 50, 100, 200]}
