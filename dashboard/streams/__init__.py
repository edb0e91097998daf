"""Live count streams: counts come in timestamp by timestamp, and what is published of each goes out at once."""
