"""Tests of the comment on a change, against a forge that answers as the real ones do."""
