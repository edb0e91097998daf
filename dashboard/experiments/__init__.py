"""The experiments app: grids of parameters, computed in parts by workers, as tables and charts that fill in."""
