"""Tests of the package as a program of its user's has it."""
