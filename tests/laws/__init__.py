"""What holds of every input, searched for a counterexample by hypothesis."""
