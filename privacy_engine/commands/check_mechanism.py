"""``cairn check-mechanism NAME``: whether a mechanism keeps the laws that every mechanism keeps; no server."""

import sys
from argparse import ArgumentParser

from privacy_engine import mechanisms as _families  # noqa: F401  (registers them)
from privacy_engine.commands.base import Command, CommandFailed, interruptible
from privacy_engine.laws import LAWS, outcome_of
from privacy_engine.laws.base import SEED
from privacy_engine.mechanisms.base.mechanism import mechanisms

OUTCOMES = {True: "holds", False: "BROKEN", None: "not checked"}


class CheckMechanism(Command):
    help = "Check whether a mechanism, Cairn's or another package's, keeps the laws that every mechanism keeps."
    place = "mechanism"
    example = f"""\
example:
  cairn check-mechanism landmark-uniform

Each law is a line as it is checked, with the least example where it is broken; all noise has seed {SEED}, so that a
repeated check finds the same. Exit code 0: none is broken, which proves nothing; 1: at least one is; 2: bad input.
"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("mechanism", metavar="NAME", help="a registered name")

    def run(self, mechanism: str) -> str:
        for lost in mechanisms.not_loaded:
            if lost.name == mechanism:
                raise CommandFailed(f"{lost}", code=2)
        names = [cls.registered_name() for cls in mechanisms]
        if mechanism not in names:
            raise CommandFailed(f"NAME must be one of {', '.join(names)}, got {mechanism!r:.60}", code=2)
        cls, broken = mechanisms[mechanism], 0
        laws = LAWS[cls.kind]
        with interruptible() as check:
            for law in laws:
                check()
                outcome = outcome_of(law, cls)
                self.out.write(f"{OUTCOMES[outcome.holds]:12} {law.name}: {law.statement}\n")
                if outcome.example:
                    self.out.write(f"{'':13}{outcome.example}\n")
                self.out.flush()
                broken += outcome.holds is False
        if not broken:
            return f"{mechanism} keeps the {len(laws)} laws, as far as these examples show (seed {SEED})."
        self.out.write(f"{mechanism} breaks {broken} of {len(laws)} laws (seed {SEED}).\n")
        self.out.flush()
        sys.exit(1)
