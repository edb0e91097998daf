"""What the API has of releases of a kind of data: a class a kind, of which the view set inherits."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from dashboard.core.by_kind import ByKind
from dashboard.datasets.selectors import require_kind
from dashboard.releases.models import Release
from privacy_engine.accounting.promise import Context
from privacy_engine.mechanisms.base.mechanism import Mechanism


class Actions:
    """Actions of the releases' view set; ``endpoints`` are those that a release has addresses of, with a help text."""

    endpoints: ClassVar[Mapping[str, str]]

    @classmethod
    def require_quotable(cls) -> None:
        """Refuse, with a ParameterError, kinds whose prices depend on more than the upload."""

    @classmethod
    def public_baseline(cls, mechanism: Any) -> str:
        """Return where a baseline that costs no ε was measured to be as good; empty if nowhere."""
        return ""

    @classmethod
    def promise(cls, mechanism: Mechanism, context: Context) -> dict[str, Any]:
        """Return what a mechanism promises in a context, and how large its noise is; no data are read."""
        guarantee = mechanism.guarantee(context)
        return {
            "name": mechanism.name,
            "title": mechanism.title,
            "statement": guarantee.statement,
            "not_covered": list(guarantee.not_covered),
            "neighbours": guarantee.neighbours.words,
            "assumptions": list(guarantee.assumptions),
            "caveats": list(guarantee.caveats),
            "publishable": not mechanism.unsound,
            "noise_sd": mechanism.noise_sd(),  # type: ignore[attr-defined]
            "noise_varies": mechanism.noise_varies,
            "better_elsewhere": mechanism.better_elsewhere,
            "public_baseline": cls.public_baseline(mechanism),
        }


actions: ByKind[type[Actions]] = ByKind("dashboard.releases", "api")


def finished_of(kind: str) -> Callable[[Any], Release]:
    """Return what operations on releases of a kind are called with: the finished release that a request names."""

    def finished(view: Any) -> Release:
        row: Release = view.finished_object()
        require_kind(row.dataset, kind)
        return row

    return finished
