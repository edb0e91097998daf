"""Budgets and losses: the ledger every mechanism spends from, temporal privacy loss."""
