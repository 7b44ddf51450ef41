"""What the command line prints of a document: verdicts, tables, derivations; each command imports its own."""
