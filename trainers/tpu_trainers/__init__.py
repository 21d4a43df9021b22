"""Trainers and submitter of cdk8s-tpu-ray."""

# That of package.json, which a test compares.
__version__ = "0.2.0"
