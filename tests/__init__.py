"""Tests of capwright."""
