"""Heads that come late, are lost, or want a token."""

from pathlib import Path

from posed_cluster import PosedCluster


def test_a_head_that_comes_late_and_is_lost_with_its_tables(start, tmp_path: Path) -> None:
    cluster = PosedCluster()
    go = tmp_path / "go"
    try:
        process = start(cluster.address, "lost-run", "wait", str(go))
        process.wait_for_line(r"dashboard: waiting for .* \(connection refused\)")
        cluster.start_head()
        host = cluster.add_host("ready", 0, pod_type="v6e-4", topology="2x2")
        process.wait_for_line("^waiting ")
        cluster.lose("head")
        process.wait_for_line("follow: no usable answer")
        cluster.lose(host)
        cluster.start_head()
        assert process.finish() == 12
        start_of_reason = "the cluster no longer knows lost-run: the head was started anew without its state (session_"
        assert process.last_line.startswith(
            f"verdict=lost run=lost-run submission=lost-run duration=_ exit=12 reason={start_of_reason}"
        )
        # The Job's next pod finds the id unknown, waits for the slice, sends the sources again and runs it.
        retry = start(cluster.address, "lost-run", "wait", str(go))
        retry.wait_for_line("slices: 0 of 1 slices complete")
        go.touch()
        cluster.add_host("ready", 0, pod_type="v6e-4", topology="2x2")
        assert retry.finish() == 0
        assert any(line.startswith("sources: gcs://_ray_pkg_") and "uploaded" in line for line in retry.own_lines)
        assert retry.last_line == (
            "verdict=succeeded run=lost-run submission=lost-run duration=_ exit=0 reason=the run's command ended with exit code 0"
        )
    finally:
        cluster.close()


def test_a_head_that_wants_a_token(start, tmp_path: Path) -> None:
    right, wrong = tmp_path / "right", tmp_path / "wrong"
    right.write_text("f" * 40)
    wrong.write_text("0" * 40)
    cluster = PosedCluster({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(right)}, token=right.read_text())
    try:
        cluster.start_head()
        for options in ({}, {"auth_token_file": wrong}):
            process = start(cluster.address, "token", "exit", "0", refusal_deadline=1, **options)
            assert process.finish() == 24
            assert process.last_line.startswith("verdict=wrong-credentials run=token submission=token duration=_ exit=24 reason=HTTP 40")
            assert b"0000" not in process.output
        process = start(cluster.address, "token", "exit", "0", auth_token_file=right)
        process.wait_for_line("slices: 0 of 1 slices complete")
        cluster.add_host("ready", 0, pod_type="v6e-4", topology="2x2")
        assert process.finish() == 0
        assert b"ffff" not in process.output
    finally:
        cluster.close()
