"""`account_of`: what became of the conversations of a flow, counted, and the sentence that says it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.training.scenario import TrafficCheck
from engine.training.words import said
from engine.training.world import Shipment


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """Conversations, counted."""

    check: TrafficCheck
    sent: int
    """Older than the check waits for, or all where they only have to be whole."""
    missing: int
    """Of them: those that are in no queue yet."""
    astray: int
    """Those that have arrived elsewhere."""
    found: str
    """Where, for instance."""
    unanswered: int
    failed: int
    torn: int

    @property
    def holds(self) -> bool:
        """Whether all is well, and there was something."""
        harmed = self.failed or self.torn
        if self.check.only_whole:
            return not harmed
        return bool(self.sent) and not (harmed or self.missing or self.astray or self.unanswered)

    def said(self, language: str, flow: str) -> str:
        """One sentence, then one for each thing that is wrong."""
        seconds = f"{self.check.within_seconds:g}"
        if self.holds:
            return said(language, self._good, flow=flow, sent=self.sent, answer=self._answer)
        if not (self.sent or self.astray or self.failed or self.torn):
            return said(language, "traffic_none", flow=flow, seconds=seconds)
        counted = {
            "missing": self.missing,
            "astray": self.astray,
            "unanswered": self.unanswered,
            "failed": self.failed,
            "torn": self.torn,
        }
        wanted = ", ".join(map(str, self.check.reaches))
        wrong = [
            said(language, f"traffic_{name}", count=count, found=self.found, wanted=wanted, answer=self._answer)
            for name, count in counted.items()
            if count
        ]
        name = "traffic_harmed" if self.check.only_whole else "traffic_fails"
        head = said(language, name, flow=flow, sent=self.sent, seconds=seconds)
        return f"{head}; {', '.join(wrong)}."

    @property
    def _answer(self) -> str:
        """The last part of the type's name says enough."""
        return "" if self.check.answer is None else self.check.answer.rsplit("/", 1)[-1]

    @property
    def _good(self) -> str:
        if self.check.only_whole:
            return "traffic_whole"
        return "traffic_holds" if self.check.answer is None else "traffic_answered"


def account_of(check: TrafficCheck, shipments: Sequence[Shipment], now: float) -> Account:
    """What a check finds; `shipments` are those that it looks at."""
    due = [each for each in shipments if check.only_whole or each.begun_at + check.within_seconds <= now]
    wanted = {(each.instance, each.database) for each in check.reaches}
    astray = [each for each in shipments if each.place is not None and wanted and each.place not in wanted]
    lost = [each for each in due if not (each.has_failed or each.is_torn) and each not in astray]
    return Account(
        check=check,
        sent=len(due),
        missing=sum(each.arrived_at is None for each in lost),
        astray=len(astray),
        found=next((f"{each.place[0]}/{each.place[1]}" for each in astray if each.place is not None), ""),
        unanswered=sum(
            each.arrived_at is not None and check.answer is not None and check.answer not in each.answers
            for each in lost
        ),
        failed=sum(each.has_failed for each in shipments),
        torn=sum(each.is_torn for each in shipments),
    )
