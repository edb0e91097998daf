"""Black-box audits: a lower bound of a mechanism's ε from its draws alone, with confidence, beside its claim.

An audit refutes; it never proves. A lower bound above the claim shows, at the stated confidence, that the claim is
false; a bound below it shows nothing but that these events and these many draws did not refute it.
"""

from privacy_engine.audit.controls import ALTERATIONS, NUMPY_LAPLACE, PREFIX, TITLES, NumpyLaplace
from privacy_engine.audit.run import (
    CONSISTENT,
    VIOLATED,
    AuditResult,
    audit,
    claimed_per,
    provable,
)
from privacy_engine.audit.spec import AuditSpec, completed, trials_field
