"""Analysis before and after a release: forecasts and simulations."""
