"""A certificate for *.googleapis.com and 127.0.0.1, made by openssl for one test run."""

from __future__ import annotations

import subprocess
from pathlib import Path

CONFIGURATION = """
[req]
distinguished_name = name
x509_extensions = extensions
prompt = no
[name]
CN = fake cloud of a test
[extensions]
basicConstraints = critical,CA:TRUE
subjectAltName = DNS:*.googleapis.com,DNS:localhost,IP:127.0.0.1
"""


def make_certificate(folder: Path) -> Path:
    """Returns a PEM file with key and certificate, valid for two days."""
    configuration, key, certificate, both = (folder / name for name in ("openssl.cnf", "key.pem", "cert.pem", "both.pem"))
    configuration.write_text(CONFIGURATION)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-config", str(configuration), "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    both.write_text(key.read_text() + certificate.read_text())
    return both
