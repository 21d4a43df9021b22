"""What the runs of these tests do; it travels as their sources."""

import os
import resource
import signal
import sys
import time


def main(command: str, *arguments: str) -> None:
    if command == "exit":
        print("the last words", flush=True)
        sys.exit(int(arguments[0]))
    elif command == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif command == "memory":
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        bytearray(2 << 30)
    elif command == "wait":
        print("waiting", os.getpid(), flush=True)
        while not os.path.exists(arguments[0]):
            time.sleep(0.05)
        print("waited", flush=True)
    elif command == "log":
        write_log(int(arguments[0]), sys.stdout.buffer)
    elif command == "actor":
        import ray

        ray.init()
        print("the cluster has", int(ray.cluster_resources()["TPU"]), "TPU", flush=True)
    else:
        sys.exit(f"unknown command {command}")


def log_line(number: int) -> bytes:
    """Every hundredth line has 1 MB, every tenth is no UTF-8."""
    filler = b"x" * 1_000_000 if number % 100 == 0 else b"y" * 2000
    return b"%07d %b%b\n" % (number, b"\xff\xfe\r" if number % 10 == 0 else b"", filler)


def write_log(lines: int, file) -> None:
    for number in range(lines):
        file.write(log_line(number))
    file.write(b"no end of line")
    file.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
