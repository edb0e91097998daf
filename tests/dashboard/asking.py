"""How the tests of releases speak to the API."""

RELEASES = "/api/v1/releases/"
UNIFORM = {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}


def at(release, *parts):
    return "/".join([f"{RELEASES}{release.pk}", *parts, ""])


def first_error(answer):
    return answer.json()["errors"][0]
