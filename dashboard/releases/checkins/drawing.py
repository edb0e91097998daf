"""How releases of check-ins are drawn."""

from dashboard.releases.common.drawing import Drawing

ADAPTER = Drawing()
