"""The health check of a Cairn on this machine, for the image and the supervisor.

Usage: ``python -m dashboard.launcher.health HOST PORT``
"""

import http.client
import sys

TIMEOUT_S = 5.0


def answers(host: str, port: int, *, timeout_s: float = TIMEOUT_S) -> bool:
    """Return whether /healthz answers 200 to a host name the settings allow, as if through a TLS proxy."""
    from django.conf import settings

    names = [name for name in settings.ALLOWED_HOSTS if name.strip(".*")]
    headers = {"Host": names[0] if names else "localhost", "X-Forwarded-Proto": "https"}
    connection = http.client.HTTPConnection(host, port, timeout=timeout_s)
    try:
        connection.request("GET", "/healthz", headers=headers)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(not answers(sys.argv[1], int(sys.argv[2])))
