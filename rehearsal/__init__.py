"""Rehearses a synthesized training run on this machine: a local Ray poses as its TPU slices, the Job's own command runs against it."""
