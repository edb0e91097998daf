"""What releases by some mechanisms would promise and be charged; no data are read."""

from __future__ import annotations

from typing import Any

from dashboard.core.by_kind import ByKind
from dashboard.datasets import ledger
from dashboard.datasets.models import unit_text
from privacy_engine.mechanism import Mechanism
from privacy_engine.promise import Context


class Quotes:
    """Quotes of a kind of data; one whose releases cannot be quoted by their upload alone refuses."""

    def require_quotable(self) -> None:
        """Refuse, with a ParameterError, kinds whose prices depend on more than the upload."""

    def public_baseline(self, mechanism: Any) -> str:
        """Return where a baseline that costs no ε was measured to be as good; empty if nowhere."""
        return ""

    def promise(self, mechanism: Mechanism, context: Context) -> dict[str, Any]:
        """Return what a mechanism promises in a context, and how large its noise is."""
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
            "public_baseline": self.public_baseline(mechanism),
        }


quotes: ByKind[Quotes] = ByKind("dashboard.releases", "quotes")


def price_of(price: ledger.Price) -> dict[str, Any]:
    """Return a price of the ledger in ε."""
    return {"unit": price.unit, "label": unit_text(price.unit), **price.levels(), "fits": price.fits}
