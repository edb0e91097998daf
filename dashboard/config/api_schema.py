"""Summaries and tags of the OpenAPI schema's operations: both follow from path and method."""

import re
from typing import Any

from drf_spectacular.openapi import AutoSchema

from dashboard.accounts.permissions import scope_of

TAGS = {
    "datasets": "Uploads that were read: location histories, count streams, check-ins.",
    "uploads": "Resumable uploads by the tus protocol 1.0.0; a whole one becomes a dataset.",
    "landmark-sets": "Which events of a dataset are landmarks, and what mechanisms would leak of them.",
    "releases": "What may be published, drawn once by a worker, and its comparison with the original.",
    "area-maps": "Maps of the areas that datasets lie in.",
    "attacks": "What adversaries make of a release.",
    "experiments": "Grids of parameters, each repeated with one seed.",
    "audits": "Lower bounds of a mechanism’s ε from its draws.",
    "streams": "Live streams: counts that are published as they arrive.",
    "projects": "People who work on the same datasets, experiments and streams.",
    "jobs": "What waits, runs or ended lately.",
    "sessions": "Browsers in which the user is logged in.",
    "base-map": "The map below the layers of the user’s pages.",
    "descriptions": "What this version offers: mechanisms, methods, measures, and their parameters.",
}
"""Tags with their descriptions, in the order of the documentation."""
_TAG_OF = {"budget-plans": "landmark-sets", "members": "projects", "project-invitations": "projects"}
_OWN = {
    "GET base-map": "Retrieve the base map",
    "POST base-map/file": "Upload a map file",
    "DELETE base-map/file": "Delete the map file",
    "POST budget-plans": "Plan budgets for a target of the loss",
    "POST datasets/{id}/aggregate/preview": "Preview an aggregation of a dataset",
    "POST datasets/{id}/lineage": "Record that a dataset is of other people",
    "POST datasets/{id}/read": "Read the upload of a dataset again",
    "POST datasets/{id}/stays": "Detect the stays of a dataset",
    "GET datasets/{id}/tracks": "Tracks of a dataset as one",
    "GET label-schema": "Schema of the privacy label",
    "POST landmark-sets/{id}/dummies": "Add dummies to a landmark set",
    "POST landmark-sets/{id}/dummies/preview": "Preview dummies of a landmark set",
    "POST releases/{id}/postprocess": "Post-process a release",
    "POST releases/{id}/recommend": "Recommend cells by a release",
    "POST releases/{id}/recommend/reference": "Recommend cells without privacy",
    "GET releases/{id}/tracks": "Tracks of a release as one",
    "POST projects/{id}/invitations": "Invite to a project by a link",
    "POST projects/{id}/members": "Add a member to a project",
    "POST streams/{id}/events": "Publish events of a stream",
    "GET streams/{id}/live": "Follow a stream",
    "POST uploads": "Announce an upload",
    "HEAD uploads/{id}": "Position of an upload",
    "PATCH uploads/{id}": "Continue an upload",
    "GET postprocesses": "List post-processing steps",
}
"""Summaries that do not follow."""
_PLAIN_VERBS = {"POST": "Create", "PATCH": "Change", "DELETE": "Delete"}


class Schema(AutoSchema):
    """Every operation has one tag and a summary; a view gives its own summary by ``extend_schema``."""

    def get_tags(self) -> list[str]:
        first = self._parts()[0]
        return [first if first in TAGS else _TAG_OF.get(first, "descriptions")]

    def get_summary(self) -> str:
        return summary_of(self.method, self._parts())

    def get_extensions(self) -> dict[str, Any]:
        return {"x-required-scope": str(scope_of(self.method, self.view))}

    def get_serializer_name(self, serializer: Any, direction: Any) -> str:
        name: str = super().get_serializer_name(serializer, direction)
        return name.removesuffix("Request") if direction == "request" else name  # to which Request is added

    def _parts(self) -> list[str]:
        return [part for part in re.sub(self.path_prefix, "", self.path).split("/") if part]


def summary_of(method: str, parts: list[str]) -> str:
    """Return a summary of an operation by the parts of its path.

    >>> summary_of("GET", ["datasets"]), summary_of("POST", ["attacks", "{id}", "cancel"])
    ('List datasets', 'Cancel an attack')
    >>> summary_of("GET", ["releases", "{id}", "heat-map"]), summary_of("POST", ["releases", "forecast"])
    ('Heat map of a release', 'Forecast of releases')
    """
    if own := _OWN.get(f"{method} {'/'.join(parts)}"):
        return own
    many = parts[0].replace("-", " ")
    single = _singular(many)
    rest = " ".join(part.replace("-", " ") for part in parts[1:] if not part.startswith("{"))
    of_one = len(parts) > 1 and parts[1].startswith("{")
    if rest and of_one and method == "POST" and " " not in rest:
        return f"{rest.capitalize()} {single}"
    if rest:
        named = rest if method == "GET" or method == "POST" else f"{_PLAIN_VERBS[method]} {rest}"
        return f"{named[0].upper()}{named[1:]} of {single if of_one else many}"
    if method == "GET":
        return f"Retrieve {single}" if of_one else f"List {many}"
    return f"{_PLAIN_VERBS[method]} {single}"


def _singular(many: str) -> str:
    if not many.endswith("s"):
        return f"the {many}"
    return f"{'an' if many[0] in 'aeiou' else 'a'} {many[:-1]}"
