"""Races and measurements, run from a checkout: see README.md in this folder."""
