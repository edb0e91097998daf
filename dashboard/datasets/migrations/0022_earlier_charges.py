"""Charges made before events were counted: each counts for every event of every file of its lineage, as it did."""

from decimal import Decimal, localcontext

from django.db import migrations
from django.db.models import Sum

from dashboard.datasets import losses


def count_wholly(apps, schema_editor):
    """Let what was charged in a lineage count for every event of every file of it, as it did: never for less."""
    EventLoss, Lineage = apps.get_model("datasets", "EventLoss"), apps.get_model("datasets", "Lineage")
    SourceFile = apps.get_model("datasets", "SourceFile")
    for lineage in Lineage.objects.order_by("pk").iterator():
        files = list(lineage.source_files.order_by("pk").values_list("pk", flat=True))
        if len(files) > 1:
            for pk in files:
                SourceFile.objects.filter(pk=pk).update(whole=[one for one in files if one != pk])
        for budget in lineage.budgets.filter(spent__gt=0):
            releases, exact = _charged(apps, files, budget.unit)
            carried = max(budget.spent - losses.whole(exact), 0)
            spent = min(losses.whole(exact) + carried, losses.LARGEST)
            loss = {"unit": budget.unit, "spent": spent, "carried": carried, "releases": releases}
            EventLoss.objects.bulk_create(EventLoss(source_file_id=pk, **loss) for pk in files)


def _charged(apps, files, unit):
    entries = apps.get_model("datasets", "BudgetEntry").objects.filter(source_file__in=files, unit=unit)
    releases, total = 0, Decimal(0)
    with localcontext(prec=losses.DIGITS):
        for one in entries.iterator():
            sign = 1 if one.amount > 0 else -1
            releases += sign
            total += sign * losses.micro(one.epsilon, one.radius_m, times=one.stability)
    return releases, total


def add_up(apps, schema_editor):
    """Let each budget hold the sum of the charges of its lineage, and be no less."""
    Entry = apps.get_model("datasets", "BudgetEntry")
    for budget in apps.get_model("datasets", "Budget").objects.order_by("pk").iterator():
        entries = Entry.objects.filter(source_file__lineage=budget.lineage_id, unit=budget.unit)
        added = entries.aggregate(all=Sum("amount"))["all"] or 0
        budget.spent = min(max(added, budget.spent), losses.LARGEST)
        if budget.total is not None and budget.total < budget.spent:
            budget.total = budget.spent
            budget.total_epsilon = budget.spent / 1e6 * (budget.total_radius_m or 1000) / 1000
        budget.save()


class Migration(migrations.Migration):
    dependencies = [("datasets", "0021_count_by_event")]

    operations = [migrations.RunPython(count_wholly, add_up)]
