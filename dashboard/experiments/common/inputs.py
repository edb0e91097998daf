"""What an experiment is run on, by the kind of data: of a dataset, of an old row, of what its cells generate."""

from abc import ABC, abstractmethod

from dashboard.core.by_kind import ByKind
from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import require_ready_of, require_releasable
from privacy_engine import experiments
from privacy_engine.experiments import ExperimentSpec, Given, Preset


class Inputs(ABC):
    """What depends on the kind of data before a run; as it stands that of cells with data of their own."""

    @abstractmethod
    def known(self, dataset: Dataset) -> Given:
        """What a preset must know of a dataset."""

    @abstractmethod
    def sizes_of(self, dataset: Dataset) -> list[int]:
        """Sizes of a dataset, as those of its data are."""

    def stated(self, spec: ExperimentSpec, preset: Preset | None) -> ExperimentSpec:
        """The spec with what it is tried on; ``preset`` states that where an old spec does not.

        Raises
        ------
        ParameterError
            Spec and preset state different things.
        """
        return spec

    def sizes(self, dataset: Dataset | None, spec: ExperimentSpec) -> tuple[list[int], list[int]]:
        """Sizes of the dataset that its cells take, and of what they are run on.

        Raises
        ------
        ParameterError
            There is nothing to try it on, or the data do not suit it.
        Conflict
            The dataset is not ready.
        """
        experiments.must_suit(spec, dataset is not None)
        given: list[int] = []
        if dataset is not None:
            require_ready_of(dataset, spec.kind)
            require_releasable(dataset)
            given = self.sizes_of(dataset)
            spec.suits(given)
        return given, spec.sizes(given)


inputs: ByKind[Inputs] = ByKind("dashboard.experiments", "inputs")
