"""Plots: a table in, a figure out. Pure: no state, no streamlit, no solver."""
