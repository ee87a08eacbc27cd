"""The sections of the Learn page."""
