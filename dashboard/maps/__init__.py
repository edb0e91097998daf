"""Maps: base map, tiles, colours, encoded tracks."""
