"""Pages of the documentation run: their blocks of Python and shell in turn; what each prints is what the page shows.

A block of ``text`` is what the block before it prints; ``…`` in it stands for anything. With ``CAIRN_RECORD=1`` what is
printed is written into the page, for a person to review.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.patience import patience

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(python|sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = """
import contextlib, io, json, subprocess, sys
given, names = json.load(sys.stdin), {"__name__": "__main__"}
for language, code in given:
    if language == "python":
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, "page", "exec"), names)
        printed = out.getvalue()
    else:
        done = subprocess.run(["bash", "-euc", code], capture_output=True, text=True)
        assert not done.returncode, f"{code}{done.stdout}{done.stderr}"
        printed = done.stdout
    print(json.dumps(printed))
"""


def blocks(language, *pages):
    """The code of the blocks of a language, page after page."""
    text = "\n".join((ROOT / page).read_text() for page in pages)
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def run_page(page, folder, **environment):
    """Run a page in ``folder``; AssertionError with the first difference."""
    programs = folder / "programs"
    programs.mkdir()
    command = programs / "cairn"
    start = "import sys\nfrom privacy_engine.commands.main import main\nsys.exit(main())\n"
    command.write_text(f"#!{sys.executable}\n{start}")
    command.chmod(0o755)
    text = (ROOT / page).read_text()
    shown_blocks = BLOCK.findall(text)
    assert len(shown_blocks) == len(re.findall(r"^```\w+$", text, re.MULTILINE)), "a block is of another language"
    env = os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg", "COLUMNS": "110"} | environment
    env["PATH"] = f"{programs}:{Path(sys.executable).parent}:{env['PATH']}"
    code = [block for block in shown_blocks if block[0] != "text"]
    how = {"cwd": folder, "env": env, "capture_output": True, "text": True, "timeout": patience(170)}
    done = subprocess.run([sys.executable, "-c", RUN], input=json.dumps(code), **how)
    assert done.returncode == 0, done.stderr[-3000:]
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    if os.environ.get("CAIRN_RECORD") == "1":
        (ROOT / page).write_text(_recorded(text, iter(printed)))
        return
    for shown, output in _pairs(shown_blocks, iter(printed)):
        pattern = re.escape(shown.strip()).replace("…", ".*?")
        assert re.fullmatch(pattern, output.strip(), re.DOTALL), f"{page} shows\n{shown}\nand it prints\n{output}"


def _pairs(shown_blocks, printed):
    output = ""
    for language, body in shown_blocks:
        if language == "text":
            yield body, output
        else:
            output = next(printed)


def _recorded(text, printed):
    output = ""

    def written(block):
        nonlocal output
        if block[1] != "text":
            output = next(printed)
            return block[0]
        return block[0] if "…" in block[2] else f"```text\n{output.strip()}\n```"

    return BLOCK.sub(written, text)
