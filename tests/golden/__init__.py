"""A comparison as whole files, as they were once checked."""
