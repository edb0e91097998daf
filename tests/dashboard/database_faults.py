"""A database that fails at a chosen write, before it is carried out or after: then only its answer is lost."""

from contextlib import contextmanager

from django.db import OperationalError, connection

WRITES = ("INSERT", "UPDATE", "DELETE")


class Faults:
    """Counts the writes of a connection, and fails those from ``first`` on, ``times`` of them."""

    def __init__(self, first, *, times=1, after=False):
        self.first, self.times, self.after = first, times, after
        self.writes = self.failed = 0

    def __call__(self, execute, sql, params, many, context):
        if not sql.lstrip().upper().startswith(WRITES):
            return execute(sql, params, many, context)
        number, self.writes = self.writes, self.writes + 1
        if not self.first <= number < self.first + self.times:
            return execute(sql, params, many, context)
        self.failed += 1
        if self.after:
            execute(sql, params, many, context)
        raise OperationalError("the connection was lost")


@contextmanager
def failing(first, **how):
    faults = Faults(first, **how)
    with connection.execute_wrapper(faults):
        yield faults
