"""A fake of the Google APIs that the scripts use, for the real gcloud, kubectl and curl.

gcloud is pointed at it as an HTTPS proxy that ends TLS itself, so that every service keeps its real host name. State is
plain dictionaries on `FakeCloud`; every request is recorded; faults are injected by the test, in the same process.
Only the Python standard library is used.
"""

from fakecloud.cloud import FakeCloud, FailOperation, LoseAnswer, Refuse, Run

__all__ = ["FailOperation", "FakeCloud", "LoseAnswer", "Refuse", "Run"]
