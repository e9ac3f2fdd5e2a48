"""The door of the diagnosis: what `engine.api` hands on."""

from __future__ import annotations

from engine.diagnosis.diagnose import diagnose
from engine.diagnosis.finding import RANK, Diagnosis, Finding, InstanceFix, ObjectKind, Severity, Subject, Unchecked
from engine.diagnosis.pair import EncryptionWanted, PairQuestion, diagnose_pair
from engine.diagnosis.saying import said
from engine.diagnosis.words import Entry, entries, unchecked

__all__ = [
    "RANK",
    "Diagnosis",
    "EncryptionWanted",
    "Entry",
    "Finding",
    "InstanceFix",
    "ObjectKind",
    "PairQuestion",
    "Severity",
    "Subject",
    "Unchecked",
    "diagnose",
    "diagnose_pair",
    "entries",
    "said",
    "unchecked",
]
