from tpu_trainers import maxtext_exit_codes, submit_exit_codes, torchtpu_exit_codes


def test_exit_codes_are_distinct_and_free():
    codes = [outcome.code for outcome in torchtpu_exit_codes.OUTCOMES]
    assert len(set(codes)) == len(codes)
    assert all(code in (0, 2) or 40 <= code < 125 for code in codes)
    assert not set(codes) & {outcome.code for outcome in submit_exit_codes.OUTCOMES} - {0}


def test_one_code_means_one_thing_in_all_trainers():
    names = {outcome.code: outcome.name for outcome in maxtext_exit_codes.OUTCOMES}
    for outcome in torchtpu_exit_codes.OUTCOMES:
        assert names.get(outcome.code, outcome.name) == outcome.name
