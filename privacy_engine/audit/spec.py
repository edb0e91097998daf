"""What to audit: a mechanism with its parameters or a control, and how many draws."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import ValidationError

from privacy_engine import mechanisms as _families  # noqa: F401  (registers the mechanisms)
from privacy_engine.audit.controls import ALTERATIONS, NUMPY_LAPLACE, PREFIX, NumpyLaplace
from privacy_engine.core.component import Component
from privacy_engine.core.params import Param, Seed, Spec, brief, explain
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.mechanisms.base.mechanism import mechanisms

FEWEST_TRIALS, MOST_TRIALS = 1_000, 1_000_000
TRIALS = Param(
    label="Trials",
    symbol="N",
    help="Draws of the mechanism for each input. More can show smaller violations.",
    lowest=FEWEST_TRIALS,
    highest=MOST_TRIALS,
    example=100_000,
)
Trials = Annotated[int, TRIALS]
CHOSEN = {"window": 3, "side": 2, "contributions": 3}
"""Where none is named: over longer windows, more cells and more check-ins of a user the budget is spread so thin that
10⁵ draws show less."""


class AuditSpec(Spec):
    """One audit. ``mechanism`` is a description by name and parameters; without ``seed`` the noise is the publishable.

    ``mechanism["name"]`` may also be ``control:numpy-laplace``, or ``control:half-noise:NAME`` and
    ``control:twice-budget:NAME`` with the name of a registered mechanism.
    """

    mechanism: dict[str, Any]
    trials: Trials = 100_000
    seed: Seed | None = None

    @property
    def name(self) -> str:
        """The mechanism's name, with the control's where it is a control."""
        return str(self.mechanism.get("name"))

    def target(self, *, field: str = "") -> Any:
        """The mechanism to draw from; ``field`` is what errors call the description.

        Raises
        ------
        ParameterErrors
            The name is not known, or a parameter is missing, unknown or outside its domain.
        """
        return target_of(self.mechanism, field=field)


def target_of(description: Mapping[str, Any], *, field: str = "") -> Any:
    """Return what a description names: a registered mechanism, or a control."""
    name = description.get("name")
    if not isinstance(name, str) or not name.startswith(PREFIX):
        return mechanisms.parse(description, field=field)
    control, _, inner = name.removeprefix(PREFIX).partition(":")
    if control == NUMPY_LAPLACE and not inner:
        try:
            return NumpyLaplace.model_validate(dict(description))
        except ValidationError as error:
            raise ParameterErrors(explain(error, prefix=field)) from None
    if control in ALTERATIONS:
        return ALTERATIONS[control](mechanisms.parse({**description, "name": inner}, field=field))
    known = ", ".join([PREFIX + NUMPY_LAPLACE, *(f"{PREFIX}{name}:NAME" for name in ALTERATIONS)])
    rule, at = f"must be a registered mechanism or one of {known}", f"{field}.name" if field else "name"
    raise ParameterErrors([ParameterError(f"{at} {rule}, got {brief(name)}", field=at, rule=rule, value=name)])


def completed(description: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the description with every required parameter but the level and the radius filled in, and what was.

    The level and the radius are the claim, so they are never chosen for anyone; the rest is :data:`CHOSEN`, or the
    example.
    """
    inner = str(description.get("name", "")).rpartition(":")[2]
    cls: type[Component] | None = next((known for known in mechanisms if known.registered_name() == inner), None)
    fields = cls.fields() if cls else []
    chosen = {
        field["name"]: CHOSEN.get(field["name"], field["example"])
        for field in fields
        if field["required"] and field["name"] not in ("epsilon", "radius_m") and field["name"] not in description
    }
    return {**description, **chosen}, chosen


def trials_field() -> dict[str, Any]:
    """The number of trials as a form field, as :meth:`privacy_engine.core.component.Component.fields` lists others."""
    bounds = {"minimum": FEWEST_TRIALS, "maximum": MOST_TRIALS, "example": TRIALS.example, "default": TRIALS.example}
    text = {"label": TRIALS.label, "symbol": TRIALS.symbol, "unit": TRIALS.unit, "help": TRIALS.help}
    return {"name": "trials", **text, **bounds, "whole": True, "text": False, "choices": [], "required": True}
