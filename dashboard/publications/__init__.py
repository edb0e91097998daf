"""Public links of releases, and the pages behind them."""
