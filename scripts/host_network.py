"""Hosts on this machine: network namespaces joined by a bridge, each with an address, names and a cable of its own.

Needs root and the program ip. Everything is in namespaces of our own: the machine's network is not changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

NET = "10.77.0"
ETC = Path("/etc/netns")


def why_not() -> str:
    """Return why there can be no such hosts here, as text; empty where there can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    missing = [name for name in ("ip", "setpriv", "curl") if not shutil.which(name)]
    if missing:
        return f"network namespaces need the program {missing[0]}"
    probe = f"cairn{os.getpid()}p"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, check=False)
    if made.returncode:
        return "this kernel or container allows no network namespaces"
    subprocess.run(["ip", "netns", "del", probe], check=False)
    return ""


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")


class Network:
    """Hosts by name, at 10.77.0.10 and up; ``names`` are further names of a host, as in docker-compose.yml."""

    def __init__(self, hosts: Sequence[str], names: Mapping[str, str]) -> None:
        self._mark = f"cairn{os.getpid()}"
        self._bridge = f"{self._mark}-net"
        self.address = {host: f"{NET}.{10 + i}" for i, host in enumerate(hosts)}
        self._lines = [f"127.0.0.1 localhost\n{NET}.1 bridge"]
        self._lines += [f"{address} {host}" for host, address in self.address.items()]
        self._lines += [f"{self.address[host]} {name}" for name, host in names.items()]

    def __enter__(self) -> Network:
        try:
            _ip("netns", "add", self._bridge)
            _ip("-n", self._bridge, "link", "add", "br0", "type", "bridge")
            _ip("-n", self._bridge, "link", "set", "br0", "up")
            for i, host in enumerate(self.address):
                self._add(host, f"v{i}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def _add(self, host: str, cable: str) -> None:
        space = self.space(host)
        etc = ETC / space
        etc.mkdir(parents=True)
        (etc / "hosts").write_text("\n".join(self._lines) + "\n")
        _ip("netns", "add", space)
        _ip("-n", space, "link", "add", "eth0", "type", "veth", "peer", "name", cable, "netns", self._bridge)
        _ip("-n", self._bridge, "link", "set", cable, "master", "br0", "up")
        _ip("-n", space, "addr", "add", f"{self.address[host]}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            _ip("-n", space, "link", "set", device, "up")

    def space(self, host: str) -> str:
        return f"{self._mark}-{host}"

    def on(self, host: str, *command: str, user: int | None = None) -> list[str]:
        """The command line that runs ``command`` on ``host``, as another user if one is named."""
        person = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user is not None else []
        return ["ip", "netns", "exec", self.space(host), *person, *command]

    def cut_off(self, host: str) -> None:
        """Pull the cable of ``host``: nothing reaches it, and it receives no refusal either."""
        _ip("-n", self._bridge, "link", "set", f"v{list(self.address).index(host)}", "down")

    def join_again(self, host: str) -> None:
        _ip("-n", self._bridge, "link", "set", f"v{list(self.address).index(host)}", "up")

    def __exit__(self, *_: Any) -> None:
        for space in [*map(self.space, self.address), self._bridge]:
            subprocess.run(["ip", "netns", "del", space], capture_output=True, check=False)
            shutil.rmtree(ETC / space, ignore_errors=True)
