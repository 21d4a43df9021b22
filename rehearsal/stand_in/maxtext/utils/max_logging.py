"""Log functions with the names of MaxText's."""


def log(message: object) -> None:
    print(message, flush=True)


def error(message: object) -> None:
    print(message, flush=True)
