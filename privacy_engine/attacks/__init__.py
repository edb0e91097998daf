"""What an adversary makes of a release: attacks that show what a guarantee means.

Each reads the release and measures how near it comes to the truth, which it needs for that alone. They are the owner's,
never a part of a release. One file each, registered; each states what its adversary knows.
"""

# ruff: noqa: I001  (the order of registration is the order of forms)

from privacy_engine.attacks.home_work import HomeWork, HomeWorkResult
from privacy_engine.attacks.localisation import Localisation, LocalisationResult
from privacy_engine.attacks.reidentification import Reidentification, ReidentificationResult
from privacy_engine.attacks.area import Area
from privacy_engine.attacks.base import Attack, Headline, Place, PopulationAttack, Result, SeriesAttack, Watch, attacks
