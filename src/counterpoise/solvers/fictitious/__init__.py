"""Fictitious play and its variants."""
