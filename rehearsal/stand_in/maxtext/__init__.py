"""Stands in for MaxText in rehearsals and tests: the same entry point, parameters, checkpoints folder and log lines, a tiny model.

Its training loop is real JAX over every device of every process, so what Ray, the trainer and the checkpoints do is real too. What it cannot
say is anything about MaxText's models, their memory or their speed.
"""
