"""Results and strategies as files."""
