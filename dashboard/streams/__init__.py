"""Live count streams: counts come in one timestamp after the other, and what is published of each goes out at once."""
