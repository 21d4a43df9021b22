import io

from rehearsal.progress import Bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(stream: io.StringIO, term: str = "xterm", total: int = 4) -> str:
    bar = Bar(total, "hosts", stream, {"TERM": term})
    bar.show(1)
    bar.clear()
    return stream.getvalue()


def test_a_terminal_has_a_bar_that_is_cleared_in_the_end() -> None:
    assert drawn(Terminal()) == "\r\033[K[######..................] 1 of 4 hosts\r\033[K"


def test_nothing_to_count_is_no_division_by_zero() -> None:
    assert "1 of 0 hosts" in drawn(Terminal(), total=0)


def test_elsewhere_there_is_none() -> None:
    assert drawn(io.StringIO()) == ""
    assert drawn(Terminal(), term="dumb") == ""
