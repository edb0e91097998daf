"""One migration for a new database in place of many, worked out from those that it replaces."""

from collections.abc import Sequence
from graphlib import TopologicalSorter
from importlib import import_module
from pkgutil import iter_modules

from django.db.migrations import CreateModel
from django.db.migrations.state import ModelState, ProjectState


def names_until(app: str, last: str) -> list[str]:
    """Return the names of the app's migrations up to the ``last`` that is replaced."""
    modules = iter_modules(import_module(f"dashboard.{app}.migrations").__path__)
    return sorted(module.name for module in modules if module.name <= last and module.name != "0001_squashed")


def models_after(app: str, names: Sequence[str]) -> list[CreateModel]:
    """Return what creates the models of the app as its migrations of these names leave them."""
    state = ProjectState()
    for name in names:
        for operation in import_module(f"dashboard.{app}.migrations.{name}").Migration.operations:
            operation.state_forwards(app, state)
    models = {f"{app}.{model.name_lower}": model for model in state.models.values()}
    order = TopologicalSorter({label: sorted(_targets(models[label]) & models.keys() - {label}) for label in models})
    ordered = (models[label] for label in order.static_order())
    return [CreateModel(at.name, list(at.fields.items()), at.options, at.bases, at.managers) for at in ordered]


def _targets(model: ModelState) -> set[str]:
    related = (field.remote_field.model for field in model.fields.values() if field.remote_field)
    return {target.lower() for target in related}
