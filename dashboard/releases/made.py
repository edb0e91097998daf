"""Which of the releases that may be made there are already."""

from collections.abc import Sequence
from itertools import chain

from dashboard.datasets.models import Dataset
from dashboard.jobs.models import OPEN, State
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from privacy_engine.releases.spec import ReleaseSpec


def made(dataset: Dataset, landmark_set: LandmarkSet | None, specs: Sequence[ReleaseSpec]) -> list[str | None]:
    """Return the page of the newest publishable release of each spec, done or open; None where there is none.

    Of a spec that reads landmarks those of the ``landmark_set``; whether the box was chosen by the data is no matter.
    """
    digests = [[spec.model_copy(update={"box_from_data": on}).digest for on in (False, True)] for spec in specs]
    open_or_done = Release.objects.filter(dataset=dataset, seeded=False, state__in=[*OPEN, State.DONE])
    rows = list(open_or_done.filter(spec_digest__in=chain(*digests)).defer("summary", "owner_view"))
    marks = landmark_set.pk if landmark_set else None

    def page(spec: ReleaseSpec, same: Sequence[str]) -> str | None:
        any_set = not spec.mechanism.reads_landmarks
        matching = (row for row in rows if row.spec_digest in same and (any_set or row.landmark_set_id == marks))
        return next((row.page_url for row in matching), None)

    return [page(*pair) for pair in zip(specs, digests, strict=True)]
