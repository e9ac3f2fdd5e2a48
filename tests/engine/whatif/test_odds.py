"""How sure a verdict is: by both legs of the engine, however the verdict itself was found."""

from engine.whatif.answers import answer_from
from engine.whatif.disposition import ARRIVED, Disposition, Light
from engine.whatif.evaluation import Evaluation
from engine.whatif.odds import odds_of
from engine.whatif.snapshot import Snapshot
from tests.engine.whatif.test_incremental import every_flow
from tests.support.drawn_estates import NOW, Drawing
from tests.support.each import for_each
from tests.support.thoroughness import share


@for_each("seed", share(range(60), 15))
def test_the_odds_of_an_evaluation_are_those_of_the_legs(seed):
    estate = Drawing(seed).estate()
    evaluation = Evaluation(estate, every_flow(estate), at=NOW)
    snapshot = Snapshot(estate, at=NOW)
    for flow in evaluation.verdicts:
        assert evaluation.odds(flow) == odds_of(snapshot, flow), flow


def test_some_verdicts_are_a_matter_of_chance():
    drawn = set()
    for seed in range(60):
        estate = Drawing(seed).estate()
        evaluation = Evaluation(estate, every_flow(estate), at=NOW)
        drawn |= {evaluation.odds(flow) for flow in evaluation.verdicts}
    assert any(0.0 < odds.way < 1.0 for odds in drawn)
    assert any(0.0 < odds.arrives < 1.0 for odds in drawn)
    assert any(0.0 < odds.heard < 1.0 for odds in drawn)


@for_each("seed", share(range(60), 15))
def test_an_answer_is_routed_as_an_answer(seed):
    estate = Drawing(seed).estate()
    snapshot = Snapshot(estate, at=NOW)
    for flow in every_flow(estate):
        verdict, odds = answer_from(snapshot, flow)
        assert verdict.works is (odds.arrives > 0.0)
        assert odds.heard is None
        assert (verdict.light is Light.RED) is (odds.arrives == 0.0)
        if odds.way == 1.0:
            assert verdict.works is (verdict.disposition in ARRIVED)
        assert verdict.disposition is not Disposition.NOT_BEGUN
