import os

from submitter_process import STAMP

from tpu_trainers.submit_output import Output, Progress


def written(act) -> bytes:
    reader, writer = os.pipe()
    act(Output(writer))
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        return b"".join(STAMP.sub("own: ", line.decode()).encode() for line in file)


def test_own_lines_wait_for_the_end_of_a_log_line() -> None:
    def act(output: Output) -> None:
        output.log(b"ab")
        output.say("one")
        output.log(b"cd")
        output.say("two\nlines")
        output.log(b"\nef\ngh")
        output.close("end")
        output.log(b"late")
        output.say("late")

    assert written(act) == b"abcd\nef\nown: one\nown: two lines\ngh\nown: end\n"


def test_own_lines_that_wait_are_bounded_to_the_newest() -> None:
    def act(output: Output) -> None:
        output.log(b"x")
        for number in range(1000):
            output.say(str(number))
        output.close("end")

    lines = written(act).decode().splitlines()
    assert lines[0] == "x"
    assert len(lines) == 1 + Output.MAX_WAITING_LINES
    assert lines[-1] == "own: end"


def test_a_reader_that_is_gone_changes_nothing() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    output = Output(writer)
    output.log(b"x\n")
    output.close("end")
    os.close(writer)


def test_progress_says_changes_and_each_phase_for_itself() -> None:
    def act(output: Output) -> None:
        progress = Progress(output, heartbeat=1e9)
        for phase, text in [("a", "1"), ("a", "1"), ("b", "1"), ("a", "1"), ("a", "2"), ("a", "1")]:
            progress.report(phase, text)

    assert written(act) == b"own: a: 1\nown: b: 1\nown: a: 2\nown: a: 1\n"


def test_progress_says_the_same_again_after_the_heartbeat() -> None:
    def act(output: Output) -> None:
        progress = Progress(output, heartbeat=0)
        progress.report("a", "1")
        progress.report("a", "1")

    assert written(act) == b"own: a: 1\nown: a: 1\n"
