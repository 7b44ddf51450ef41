"""Trees to declarations: names, units, kinds, entities, formula families, and the rules of types.

What is declared is collected and checked here. Expressions are typed by the rules of this room while the
graph is expanded, once for real entities and once, for formulas nobody calls, for stand-ins of theirs.
"""
