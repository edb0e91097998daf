"""Black-box audits: a lower bound of a mechanism's ε from its draws alone, with confidence, beside its claim.

An audit refutes; it never proves. A lower bound above the claim shows, at the stated confidence, that the claim is
false; one below it shows nothing but that these events and these many draws did not refute it.
"""

from privacy_engine.audit.controls import ALTERATIONS, NUMPY_LAPLACE, PREFIX, TITLES, NumpyLaplace
from privacy_engine.audit.run import (
    CONFIDENCE,
    CONSISTENT,
    VIOLATED,
    AuditResult,
    PairResult,
    audit,
    audit_of,
    claimed_per,
    provable,
)
from privacy_engine.audit.spec import FEWEST_TRIALS, MOST_TRIALS, AuditSpec, completed, target_of, trials_field

__all__ = [
    "ALTERATIONS",
    "CONFIDENCE",
    "CONSISTENT",
    "FEWEST_TRIALS",
    "MOST_TRIALS",
    "NUMPY_LAPLACE",
    "PREFIX",
    "TITLES",
    "VIOLATED",
    "AuditResult",
    "AuditSpec",
    "NumpyLaplace",
    "PairResult",
    "audit",
    "audit_of",
    "claimed_per",
    "completed",
    "provable",
    "target_of",
    "trials_field",
]
