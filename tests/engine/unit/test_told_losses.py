"""Why a route lost and why a message waits is told as a code, so that every language can word it by itself."""

from engine.core.routing.decision import LossReason
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, ServiceName
from engine.whatif.asking import ask, examples
from engine.whatif.disposition import Disposition
from engine.whatif.telling import FlowQuestion
from tests.support.diagnosed_estates import NOW, sample_estate


def test_each_loser_is_told_with_the_clause_that_failed_and_what_stands_there() -> None:
    question = FlowQuestion(
        instance=InstanceName("LYON"),
        database=DatabaseName("Entrepôt"),
        service=ServiceName("//exemple.fr/Expédition/Suivi"),
        to_service=ServiceName("//exemple.fr/Ventes/Guichet"),
    )
    first = ask(sample_estate(), question, at=NOW).legs[0].ways[0].hops[0]
    assert {loss.route: (loss.reason, loss.parameter) for loss in first.losses} == {
        "AutoCreatedLocal": (LossReason.LATER_STEP, 5),
        "Vers les retours": (LossReason.SERVICE_DIFFERS, "//exemple.fr/Ventes/Retours"),
    }


def test_an_example_that_waits_says_by_its_number_what_for() -> None:
    waiting = [each for each in examples(sample_estate(), at=NOW) if each.disposition is Disposition.DELAYED]
    assert [each.number for each in waiting] == [9750]
