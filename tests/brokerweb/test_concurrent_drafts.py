"""Drafts beside each other, in SQLite. No engine runs here: it would open instances that nobody closes again."""

import pytest

from tests.brokerweb.draft_contract import ConcurrentDraftsContract, estate_with_draft


class TestConcurrentDrafts(ConcurrentDraftsContract):
    @pytest.fixture
    def estate(self, transactional_db):
        return estate_with_draft()
