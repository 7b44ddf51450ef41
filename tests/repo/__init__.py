"""Tests of the repository itself: its layers, its words, its wheel, its committed reports."""
