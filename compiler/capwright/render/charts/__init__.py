"""Pictures, drawn generically from what a `view` lists. Python knows the chart, not what it shows."""
