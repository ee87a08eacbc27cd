"""Find the best way to split every layer of a network over many devices."""
