"""PlanDoc and DiffDoc: the published documents between compiling and rendering."""
