"""Keyed hashes of every event of an upload, which show which uploads hold an event."""

from privacy_engine.data.event_hashes.classes import Classes, classes
from privacy_engine.data.event_hashes.fresh import event_hashes
from privacy_engine.data.event_hashes.hashes import EventHashes, FreshEvents, Keys
from privacy_engine.data.event_hashes.matching import Shared, shared

__all__ = ["Classes", "EventHashes", "FreshEvents", "Keys", "Shared", "classes", "event_hashes", "shared"]
