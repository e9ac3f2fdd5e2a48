"""The door of the diagnosis: what `engine.api` hands on."""

from __future__ import annotations

from engine.diagnosis.comparison import Difference, compare
from engine.diagnosis.diagnose import diagnose
from engine.diagnosis.dialog_ends import DialogEnds, DialogWanted, QueueEnd, dialog_ends
from engine.diagnosis.finding import RANK, Diagnosis, Finding, InstanceFix, ObjectKind, Severity, Subject
from engine.diagnosis.mending import Mending, mend
from engine.diagnosis.near_names import near_names
from engine.diagnosis.offers import DialogOffer, DialogTerms, deliverable_dialogs
from engine.diagnosis.pair import EncryptionWanted, PairQuestion, diagnose_pair
from engine.diagnosis.saying import said
from engine.diagnosis.words import Unchecked, WordedFinding, entries, kind_text, subject_text, unchecked, worded

__all__ = [
    "RANK",
    "Diagnosis",
    "DialogEnds",
    "DialogOffer",
    "DialogTerms",
    "DialogWanted",
    "Difference",
    "EncryptionWanted",
    "Finding",
    "InstanceFix",
    "Mending",
    "ObjectKind",
    "PairQuestion",
    "QueueEnd",
    "Severity",
    "Subject",
    "Unchecked",
    "WordedFinding",
    "compare",
    "deliverable_dialogs",
    "diagnose",
    "diagnose_pair",
    "dialog_ends",
    "entries",
    "kind_text",
    "mend",
    "near_names",
    "said",
    "subject_text",
    "unchecked",
    "worded",
]
