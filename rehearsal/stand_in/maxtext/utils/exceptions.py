"""Exceptions with the names of MaxText's."""


class StopTraining(Exception):
    """Ends training before its last step; the program then returns normally."""
