"""What the notebooks of every kind of data have; ``$file`` and its like are replaced (see notebook.py)."""

Cell = tuple[str, str]

INTRODUCTION = """
# $title

$statement

The next cell opens the release as Cairn exports it to CSV: put **$file_name** into the folder of this notebook.
It needs [pandas](https://pandas.pydata.org) and [matplotlib](https://matplotlib.org): `pip install pandas matplotlib`.
Everything below shows what was published. Neither file contains the original.
"""

LABEL = """
label = json.loads(release["privacy_label_json"].dropna().iloc[0])
release = release.drop(columns=["privacy_label", "privacy_label_json"])
guarantee = label["guarantee"]
print(label["text"])
if guarantee is None:
    print("A seeded simulation: it has no guarantee. Do not publish it.")
else:
    for title, lines in [
        ("Assumes", guarantee["assumptions"]),
        ("Not covered", guarantee["not_covered"]),
        ("Note", guarantee["caveats"]),
    ]:
        for line in lines:
            print(f"{title}: {line}")
"""

ABOUT_LABEL = """
## The privacy label

Every exported file carries it: what is protected, how much, under which assumptions, and what is not covered.
"""

ABOUT_LIBRARIES = """
## In other libraries

Each of these is optional; a library that is not installed is named.
"""


def library(kind: str) -> Cell:
    """A cell that reads the release by Cairn's own library."""
    return (
        "code",
        f"""
try:
    import privacy_engine as pe
except ImportError:
    print("Cairn's library is not installed: pip install cairn-privacy")
else:
    print(pe.read(FILE, kind="{kind}"))
""",
    )
