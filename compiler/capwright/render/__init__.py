"""From a PlanDoc to what people read: Markdown, HTML, terminal and annotations."""
