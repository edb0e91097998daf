"""Words that came from outside, made fit to show on one line."""

import unicodedata

_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_JOINERS = "\u200c\u200d"  # Persian and emoji need them, and they turn no text around


def one_line(text: str, limit: int = 200) -> str:
    """``text`` without control, direction and unassigned characters, at most ``limit`` characters.

    >>> one_line("photo\\u202egpj.csv\\n")
    'photogpj.csv'
    """
    shown = "".join(
        " " if char in "\t\r\n" else char
        for char in text
        if char in "\t\r\n" or char in _JOINERS or unicodedata.category(char) not in _HIDDEN
    )
    return " ".join(shown.split(" "))[:limit].strip()
