"""What releases of check-ins have addresses for."""

OTHERS = ("recommend", "recommend-reference", "model-map", "true-densities", "histories", "venues")
ADAPTER = {"cells": "Of check-ins, like the next six."} | dict.fromkeys(OTHERS, "")
