"""What everything stands on and no reader of a method needs to know: arrays of two libraries, threads, draws, checks, BLAS."""
