"""The handshake: every state and input, and both ends run against each other (protocol.md 7.2, 7.3)."""

from itertools import product

import pytest

from engine.core.link.login import LOGIN_TRANSITIONS, USED_STATES, LoginInput, LoginState, login_step
from engine.core.link.states import LinkRole
from engine.core.vocabulary.errors import LocalProtocolError, RemoteProtocolError
from tests.support.each import for_each


@for_each(("role", "state", "happened"), list(product(LinkRole, LoginState, LoginInput)))
def test_7_2_every_login_state_and_input_is_in_the_table_or_a_breach(
    role: LinkRole, state: LoginState, happened: LoginInput
):
    expected = LOGIN_TRANSITIONS[role].get((state, happened))
    if expected is not None:
        assert login_step(role, state, happened) is expected
        return
    blame = RemoteProtocolError if happened.value.startswith("receive-") else LocalProtocolError
    with pytest.raises(blame) as caught:
        login_step(role, state, happened)
    assert caught.value.number == 28029


@pytest.mark.parametrize("role", LinkRole)
def test_7_2_every_used_state_can_be_reached_and_no_other(role: LinkRole):
    reached = {LoginState.INITIAL}
    while more := {after for (state, _), after in LOGIN_TRANSITIONS[role].items() if state in reached} - reached:
        reached |= more
    others = {LoginState.WAIT_ISC_CONFIRM, LoginState.WAIT_VALIDATION}
    if role is LinkRole.ACCEPTING:
        others = {LoginState.WAIT_ASC_CONFIRM, LoginState.WAIT_ARBITRATION}
    assert reached == set(USED_STATES) - others


@pytest.mark.parametrize("role", LinkRole)
def test_7_2_an_error_is_final(role: LinkRole):
    assert {after for (state, _), after in LOGIN_TRANSITIONS[role].items() if state is LoginState.ERROR} == {
        LoginState.ERROR
    }


def test_7_2_the_numbers_are_those_of_the_view():
    assert [state.value for state in LoginState] == list(range(14))
    assert (LoginState.WAIT_ISC_CONFIRM, LoginState.WAIT_ARBITRATION, LoginState.ONLINE) == (6, 11, 12)
