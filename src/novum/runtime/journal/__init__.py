"""What a long computation has done so far, in a file, so that it goes on after it was killed."""

from novum.runtime.journal.steps import Journal, each_step, recording, step

__all__ = ["Journal", "each_step", "recording", "step"]
