"""The few primitives that are not algebra: pair counts of attention masks, distributions of lengths."""
