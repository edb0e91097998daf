"""How releases of count streams are drawn."""

from dashboard.releases.common.drawing import Drawing

ADAPTER = Drawing()
