"""From a path to parsed modules: the only part of the compiler that reads the disk."""

from capwright.loading.closure import Loaded, load
from capwright.loading.files import ReadProblem, decode, project_root, read_typed
from capwright.loading.library import library_root
from capwright.loading.project import Project, read_project
from capwright.loading.scanning import used_files
from capwright.loading.tool import tool_sha256

__all__ = [
    "Loaded",
    "Project",
    "ReadProblem",
    "decode",
    "library_root",
    "load",
    "project_root",
    "read_project",
    "read_typed",
    "tool_sha256",
    "used_files",
]
