"""Forms of the accounts app."""

from typing import Any

from django import forms

from dashboard.accounts.models import Scope
from dashboard.accounts.services import TOKEN_DAYS

DAYS = {7: "in 7 days", 30: "in 30 days", TOKEN_DAYS: f"in {TOKEN_DAYS} days", 365: "in a year", 0: "never"}


class TokenForm(forms.Form):
    """What a new token is for, what it permits, and how long."""

    name = forms.CharField(max_length=100, error_messages={"required": "Enter a name: what the token is for."})
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices, initial=[Scope.READ], error_messages={"required": "Choose at least one permission."}
    )
    days = forms.TypedChoiceField(choices=list(DAYS.items()), coerce=int, initial=TOKEN_DAYS)

    def clean_days(self) -> int | None:
        return self.cleaned_data["days"] or None

    def new(self) -> dict[str, Any]:
        """Arguments of ``make_token``."""
        return {name: self.cleaned_data[name] for name in ("name", "scopes", "days")}
