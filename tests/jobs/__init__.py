"""Tests of counterpoise.jobs."""
