"""From a path to parsed modules: the only part of the compiler that reads a plan and what it names; of its own pages
and tables, other parts read those that they need."""

from capwright.loading.closure import library_names, load
from capwright.loading.files import ReadProblem, decode, project_root, read_typed, read_typed_head
from capwright.loading.imports import as_text
from capwright.loading.library import library_root
from capwright.loading.loaded import Loaded
from capwright.loading.project import Project, read_project
from capwright.loading.scanning import standalone
from capwright.loading.tool import tool_sha256

__all__ = [
    "Loaded",
    "Project",
    "ReadProblem",
    "as_text",
    "decode",
    "library_names",
    "library_root",
    "load",
    "project_root",
    "read_project",
    "read_typed",
    "read_typed_head",
    "standalone",
    "tool_sha256",
]
