from tpu_trainers.torchtpu_examples import IGNORED, Example, encode, labels


def letters(text):
    return [ord(letter) for letter in text]


def test_a_short_text_ends_and_is_padded_on_the_right():
    example = encode("ab", letters, end=1, padding=0, length=5)
    assert example == Example([97, 98, 1, 0, 0], 3)
    assert labels(example) == [98, 1, IGNORED, IGNORED, IGNORED]
    assert example.learned == 2


def test_the_end_is_learned_also_where_it_is_the_padding():
    example = encode("ab", letters, end=1, padding=1, length=5)
    assert example.tokens == [97, 98, 1, 1, 1]
    assert labels(example) == [98, 1, IGNORED, IGNORED, IGNORED]


def test_a_tokenizer_that_ends_the_text_itself():
    assert encode("ab", lambda text: [*letters(text), 1], end=1, padding=0, length=4) == Example([97, 98, 1, 0], 3)


def test_a_cut_text_has_not_ended():
    example = encode("abcd", letters, end=1, padding=0, length=3)
    assert example == Example([97, 98, 99], 3)
    assert labels(example) == [98, 99, IGNORED]


def test_exactly_full():
    assert encode("ab", letters, end=1, padding=0, length=3) == Example([97, 98, 1], 3)


def test_an_empty_text_is_an_end_and_nothing_is_learned():
    example = encode("", letters, end=1, padding=0, length=3)
    assert (example.tokens, example.learned, labels(example)) == ([1, 0, 0], 0, [IGNORED] * 3)
