"""Background jobs: their rows, leases, queue, reaper and API."""
