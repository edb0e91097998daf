"""What experiments on trajectories are run on: a selection of the series of a dataset, or generated series."""

from dashboard.datasets import ledger
from dashboard.datasets.models import Dataset
from dashboard.datasets.people import people_of
from dashboard.datasets.selectors import reference_radius_m, require_ready_of
from dashboard.experiments.common.inputs import Inputs
from privacy_engine.errors import ParameterError
from privacy_engine.experiments import AS_THEY_ARE, ExperimentSpec, Given, Preset, SeriesPreset


class TrajectoryInputs(Inputs):
    """Events of each series."""

    def known(self, dataset: Dataset) -> Given:
        return Given(radius_m=reference_radius_m(dataset, ledger.budget_of(dataset)))

    def sizes_of(self, dataset: Dataset) -> list[int]:
        return dataset.series_lengths

    def stated(self, spec: ExperimentSpec, preset: Preset | None) -> ExperimentSpec:
        """As the spec states its series, else as the preset does, else the series as they are."""
        selection = preset.selection() if isinstance(preset, SeriesPreset) else spec.series or AS_THEY_ARE
        if spec.series not in (None, selection):
            rule = "must be left out where the spec names other data"
            raise ParameterError(f"preset {rule}", field="preset", rule=rule, value=preset and preset.name)
        return spec if spec.series == selection else spec.on(selection)

    def sizes(self, dataset: Dataset | None, spec: ExperimentSpec) -> tuple[list[int], list[int]]:
        selection = spec.series or AS_THEY_ARE
        if dataset is None and selection.generated is None:
            rule = "is required where no preset generates the series"
            raise ParameterError(f"dataset {rule}", field="dataset", rule=rule)
        given: list[int] = []
        of_people: list[int] = []
        if dataset is not None:
            require_ready_of(dataset, spec.kind)
            given, of_people = self.sizes_of(dataset), [len(person) for person in people_of(dataset)]
        return given, selection.lengths(given, of_people)


ADAPTER = TrajectoryInputs()
