"""What releases of trajectories have addresses for."""

ADAPTER = {
    "track": "Of trajectories, like the next five.",
    "tracks": "All series at once.",
    "series": "",
    "errors": "",
    "postprocess": "",
}
