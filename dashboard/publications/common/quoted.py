"""Publications of releases that needed the upload alone: the lines of their report, and the noise."""

from dataclasses import asdict
from typing import Any, ClassVar

from dashboard.publications.common.public import Public
from dashboard.releases.models import Release
from dashboard.releases.quoted_report import QuotedReport


class QuotedPublic(Public):
    """Of a kind of data whose releases are quoted without landmarks."""

    report: ClassVar[QuotedReport]

    def facts(self, row: Release, data: Any) -> dict[str, Any]:
        mechanism: Any = row.parsed_spec.mechanism
        return {
            "lines": [asdict(fact) for fact in self.report.facts(data)],
            "noise_sd": mechanism.noise_sd(),
            "noise_varies": mechanism.noise_varies,
        }
