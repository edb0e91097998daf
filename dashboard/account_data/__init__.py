"""All that is stored of an account: its export as a ZIP, and its deletion."""
