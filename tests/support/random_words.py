"""What is said in random estates: message types, contracts that mostly are the same everywhere, and who lists which."""

from random import Random

from engine.core.catalog.changes import ContractCreated, MessageTypeCreated
from engine.core.catalog.objects import (
    DEFAULT_CONTRACT,
    DEFAULT_TYPE,
    Contract,
    ContractUse,
    MessageType,
    SentBy,
    Validation,
)

TALK, ASK, TELL = "Talk", "Ask", "Tell"


class Words:
    """Chance of its own, so that what is said changes no estate."""

    def __init__(self, seed):
        self.words = Random(f"words of {seed}")

    def definitions(self, database):
        """Types and a contract that mostly are the same in all databases."""
        rare = self.words.random()
        ask, tell = SentBy.INITIATOR, SentBy.TARGET
        if rare < 0.06:
            ask, tell = tell, ask
        elif rare < 0.12:
            ask = tell = self.words.choice((SentBy.ANY, SentBy.INITIATOR))
        uses = [ContractUse(ASK, ask), ContractUse(TELL, tell)]
        if 0.12 <= rare < 0.18:
            del uses[self.words.randrange(2)]
        validation = Validation.NONE
        if self.words.random() < 0.1:
            validation = self.words.choice((Validation.EMPTY, Validation.WELL_FORMED_XML))
        found = [MessageTypeCreated(database=database, message_type=MessageType(ASK, validation))]
        found += [MessageTypeCreated(database=database, message_type=MessageType(TELL))]
        made = [] if 0.18 <= rare < 0.24 else [ContractCreated(database=database, contract=Contract(TALK, tuple(uses)))]
        return [*found, *made]

    def contracts(self, database):
        """What a service lists, of what its database has."""
        lists = ((TALK,), (TALK, DEFAULT_CONTRACT)) if TALK in database.contracts else ()
        return self.words.choice((*((DEFAULT_CONTRACT,),) * 20, *lists, ()))

    def said(self):
        """Contract and message type of a question, mostly none."""
        if self.words.random() < 0.85:
            return {}
        contract = self.words.choice((None, DEFAULT_CONTRACT, TALK, TALK, TALK, TALK, "Nothing"))
        message_type = self.words.choice((*(None,) * 6, ASK, ASK, TELL, DEFAULT_TYPE, "Nothing"))
        return {"contract": contract, "message_type": message_type}

    def keeps(self):
        """Whether a queue keeps what is sent."""
        return self.words.random() < 0.2
