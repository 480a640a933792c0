"""The bundle: one HDF5 file, its manifest, and what an auditor can check without the data."""

from synthrelease.bundle.finding import Finding
from synthrelease.bundle.hdf5 import reseal
from synthrelease.bundle.reading import Bundle, open_bundle
from synthrelease.bundle.verify import Verification, verify

__all__ = ["Bundle", "Finding", "Verification", "open_bundle", "reseal", "verify"]
