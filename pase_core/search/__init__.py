"""Minimisation of a pairwise discrete function over a graph, given as CostTables.

Nothing here knows layers, operations, clusters or cost models.
"""
