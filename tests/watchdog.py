"""Folders for everything that a run of the tests writes, and a process that removes them and ends what uses them.

It does so when the run ends, however it ends. Processes are known by the folder's name, in their environment, their
arguments or their current folder: servers have sessions of their own, so no signal to a process group reaches them.
"""

import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

GRACE_S = 5.0


def start(memory):
    """Make a folder for temporary files, and one of its name in ``memory``; the process returned removes both."""
    folder = Path(tempfile.mkdtemp(prefix="cairn-tests-"))
    folder.chmod(0o711)  # PostgreSQL's files in it belong to another user
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    folders = [folder, *([memory / folder.name] if memory else [])]
    folders[-1].mkdir(mode=0o711, exist_ok=True)
    arguments = [sys.executable, "-I", "-S", __file__, str(os.getpid()), *map(str, folders)]
    return os.posix_spawn(sys.executable, arguments, os.environ)


def processes_of(name):
    """Which of the other processes use the folder of this name; none where there is no /proc."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile, or is another user's
            texts = [(process / file).read_bytes() for file in ("environ", "cmdline")]
            texts.append(bytes((process / "cwd").readlink()))
            if any(name.encode() in text for text in texts) and int(process.name) != os.getpid():
                yield int(process.name)


def end(name):
    """Stop the processes, and kill those that do not react."""
    give_up, number = time.monotonic() + GRACE_S, signal.SIGTERM
    while found := list(processes_of(name)):
        for process in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, number)
        if time.monotonic() > give_up:
            number = signal.SIGKILL
        time.sleep(0.2)


def main(parent, *folders):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while os.getppid() == int(parent):
        time.sleep(0.2)
    end(Path(folders[0]).name)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
