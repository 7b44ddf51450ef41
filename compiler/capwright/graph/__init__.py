"""Program to numbers: expansion, the tape, evaluation, verdicts, and questions of the graph."""
