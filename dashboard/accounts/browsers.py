"""The name of a browser from its User-Agent header."""

import re

_BROWSERS = {  # in this order: most also name the ones further down
    "Edg": "Edge",
    "EdgA": "Edge",
    "EdgiOS": "Edge",
    "OPR": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Vivaldi": "Vivaldi",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "CriOS": "Chrome",
    "HeadlessChrome": "Chrome",
    "Chrome": "Chrome",
    "Version": "Safari",
    "curl": "curl",
    "python-requests": "Python",
}
_SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "CrOS": "ChromeOS",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


def browser_name(agent: str) -> str:
    """Return browser, main version and system; empty where the header names neither.

    >>> browser_name("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0")
    'Firefox 128 on Linux'
    >>> browser_name("an unknown program")
    ''
    """
    version = dict(re.findall(r"([A-Za-z-]+)/(\d{1,4})", agent[:1000]))
    browser = next((f"{title} {version[name]}" for name, title in _BROWSERS.items() if name in version), "")
    system = next((title for name, title in _SYSTEMS.items() if name in agent[:1000]), "")
    return " on ".join(part for part in (browser, system) if part)
