"""From a path to parsed modules: the only part of the compiler that reads the disk."""

from capwright.loading.files import ReadProblem, project_root, read_typed
from capwright.loading.library import library_root
from capwright.loading.closure import Loaded, load

__all__ = ["Loaded", "ReadProblem", "library_root", "load", "project_root", "read_typed"]
