"""Quick cases of one test, a loop in place of a test per case; the error of a call; a row as it is stored."""

import functools
import inspect

import pytest


def each(names, cases, ids=None):
    """Run a test, or each test of a class, once for every case: as ``pytest.mark.parametrize``, but as one test.

    All cases are run; those that fail are raised together, and the test is skipped where every case is. Fixtures are
    shared by the cases. A test for each case stays what draws examples by hypothesis, is marked as long below this
    decorator, or has a case with marks of its own.
    """
    wanted = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    values = list(cases)
    assert values, "a test without cases cannot fail"
    rows = [tuple(value) if len(wanted) > 1 else (value,) for value in values]
    shown = ids
    if callable(ids):
        shown = ["-".join(str(ids(one)) for one in row) for row in rows]
    elif ids is None:
        shown = [_name(value) for value in values]

    def decorate(test):
        if inspect.isclass(test):
            for name, method in list(vars(test).items()):
                if name.startswith("test"):
                    setattr(test, name, decorate(method))
            return test
        long = {mark.name for mark in getattr(test, "pytestmark", [])} & {"slow", "thorough", "timeout"}
        if long or hasattr(test, "hypothesis") or any(hasattr(value, "marks") for value in values):
            return pytest.mark.parametrize(names, values, ids=shown)(test)

        @functools.wraps(test)
        def every_case(*args, **given):
            failures, skipped = [], []
            for name, row in zip(shown, rows, strict=True):
                try:
                    test(*args, **given, **dict(zip(wanted, row, strict=True)))
                except pytest.skip.Exception as reason:
                    skipped.append(reason)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"case: {name}")
                    failures.append(error)
            if len(skipped) == len(rows):
                raise skipped[0]
            if len(failures) == 1:
                raise failures[0]
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(rows)} cases failed", failures)

        signature = inspect.signature(test)
        left = [one for name, one in signature.parameters.items() if name not in wanted]
        assert len(left) + len(wanted) == len(signature.parameters), f"{test.__name__} does not take {names}"
        vars(every_case)["__signature__"] = signature.replace(parameters=left)
        return every_case

    return decorate


def _name(case):
    if isinstance(case, tuple):
        return "-".join(map(_name, case))
    named = case.registered_name() if hasattr(case, "registered_name") else getattr(case, "__name__", None)
    return named if isinstance(named, str) else repr(case)[:80]


def refusal(error, call, *given, **named):
    """The error that a call raises."""
    with pytest.raises(error) as caught:
        call(*given, **named)
    return caught.value


def refreshed(row):
    """The row, as the database has it now."""
    row.refresh_from_db()
    return row
