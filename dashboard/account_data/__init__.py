"""All that is stored of an account: its export as one ZIP, and its deletion."""
