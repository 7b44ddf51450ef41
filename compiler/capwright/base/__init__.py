"""What every stage stands on: places, messages, exact numbers, intervals, dimensions, demand."""
