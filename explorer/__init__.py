"""The explorer: pages that show what the core finds."""
