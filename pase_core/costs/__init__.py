"""Cost models: from a graph and devices to cost tables."""
