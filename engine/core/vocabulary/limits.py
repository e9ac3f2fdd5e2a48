"""Every bound of the engine in one place, each with its reason.

A queue without a bound is a memory leak that waits for a bad day; a bound without a reason is a riddle.
"""

from __future__ import annotations

from typing import Final

from engine.core.vocabulary.moment import UtcTime

SYSNAME_LENGTH_MAX: Final = 128
"""Characters of an object name (tsql.md, general rules)."""

SERVICE_NAME_LENGTH_MAX: Final = 256
"""Characters of a remote service name and of an address (routing.md 1.1, error 9660)."""

BROKER_INSTANCE_LENGTH_MAX: Final = 128
"""Characters of a broker id as text (routing.md 1.1, errors 9660 and 8413)."""

LIFETIME_SECONDS_MAX: Final = 2_147_483_647
"""Largest route or dialog lifetime, about 68 years (protocol.md 20)."""

PORT_MIN: Final = 1024
PORT_MAX: Final = 32767
"""Ports a broker endpoint may listen on (tsql.md 8, error 5837)."""

ADDRESS_PORT_MAX: Final = 65535
"""Largest TCP port an address may name: a tunnel may sit in front of an endpoint."""

QUEUE_READERS_MAX: Final = 32767
"""Largest MAX_QUEUE_READERS (tsql.md 2, error 9742)."""

DEFAULT_PORT: Final = 4022
"""The port of custom (routing.md E21)."""

MESSAGE_BODY_BYTES_MAX: Final = 2_147_483_647
"""Largest body SEND takes: that of varbinary(max) (tsql.md 9, error 8459). A store may allow less."""

FRAGMENT_BYTES_DEFAULT: Final = 64 * 1024
"""Bytes of a body that travel as one fragment (protocol.md 3.3)."""

FRAGMENT_BYTES_MIN: Final = 1024
FRAGMENT_BYTES_MAX: Final = 4 * 1024 * 1024
"""What the size of a fragment may be set to: its header must not outweigh it, and it must fit a frame."""

FRAME_BYTES_MAX: Final = 8 * 1024 * 1024
"""Largest frame a link accepts: one fragment of the largest size with room for its header."""

HANDSHAKE_FRAME_BYTES_MAX: Final = 64 * 1024
"""Largest frame of a peer that is not logged in: a certificate with room to spare, and no gift to strangers."""

FRAME_BYTES_FULL: Final = 64 * 1024
FRAME_MESSAGES_FULL: Final = 64
"""A frame is closed when it is so full: enough to make its header cheap, little enough to hold nobody up."""

ACCEPTED_LINKS_MAX: Final = 1024
"""Neighbours connected to one instance at once: one file each, well below what a process may open (17809)."""

LOGINS_PENDING_MAX: Final = 128
"""Of these, those that have not logged in: strangers who say nothing. The oldest of them goes first (17809), so that to
keep neighbours out they would have to come faster than a login takes."""

ROLE_QUESTIONS_KEPT: Final = 1024
"""Broker ids for which one neighbour is told of changes; beyond it the oldest is forgotten and must be asked again."""

LINK_HEADER_BYTES: Final = 512
"""What a message adds to its body and its security on the wire, about: for filling frames and connections evenly."""
LINK_ROOM_BYTES: Final = 4 * 1024 * 1024
"""Of messages that a connection is given before their dialogs wait until half of them are sent. What waits here, in
both systems and in the neighbour's inbox waits longer than its retry interval when it is much: then it goes twice."""
LINK_BUFFER_BYTES_MAX: Final = 16 * 1024 * 1024
"""Bytes a link keeps for a peer that reads slowly; beyond it messages are dropped and dialogs send them again."""

PASSAGE_BYTES_MAX: Final = 14 * 1024 * 1024
PASSAGE_BYTES_MIN: Final = 1024 * 1024
PASSAGE_GROWTH_BYTES: Final = 256 * 1024
"""Bytes of all dialogs under way to one broker at once: less than a forwarder keeps for one link, so that one sender
alone loses nothing there. When something is lost it is half of what was under way, and grows again by so much each
time that as much as may be under way has arrived."""

LINK_UNSENT_BYTES_FULL: Final = 256 * 1024
"""Bytes handed to the operating system at once; what waits behind them can still be overtaken by what is urgent."""

LINK_UNACKNOWLEDGED_SECONDS: Final = 90.0
"""How long the operating system waits for a neighbour's to acknowledge bytes, where it can be told: of a machine that
is gone without a word it would learn after a quarter of an hour, while what is sent there looks like traffic."""

LINK_LINGER_SECONDS: Final = 5.0
"""How long the last bytes of a closed connection may take to leave; a peer that reads nothing would keep them."""

LINK_SOCKET_BYTES: Final = 1024 * 1024
"""What the operating system is asked to keep of a connection, unsent here and unread there; by itself it keeps more."""

INBOX_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes of messages that an instance keeps before it takes them in; past it the network is not read for a while."""

LINK_ROLES_MAX: Final = 4096
"""Questions and claims that one read may bring; more in one piece is no conversation but an attack."""

ERROR_DESCRIPTION_LENGTH_MAX: Final = 3000
"""Characters of the text of END CONVERSATION WITH ERROR (tsql.md 9.4)."""

ERROR_CODE_MAX: Final = 2_147_483_647
"""Largest code of END CONVERSATION WITH ERROR, an int (tsql.md 9.4, error 8424)."""

REVISION_MAX: Final = 2**63 - 1
"""Largest revision of a topology: what every store keeps in one integer (error 9797)."""

FORWARD_SIZE_MEGABYTES_MAX: Final = 2_147_483_647
"""Largest MESSAGE_FORWARD_SIZE, an int (tsql.md 8, error 5839)."""

SEND_WINDOW_BYTES: Final = 1024 * 1024
"""Bytes of one dialog in flight at once, so that no large message fills a link: what others send passes it after so
much at the latest. One fragment, however large, is always let go."""

FORWARDED_HEADER_BYTES: Final = 512
"""What a forwarded message is counted with besides body and security: names, ids and the object that holds them."""

FORWARDED_MESSAGES_MAX: Final = 100_000
"""Messages in transit through one instance: each costs some objects, whatever MESSAGE_FORWARD_SIZE allows (11286)."""

SEND_WINDOW_MESSAGES: Final = 256
"""Messages and fragments of one dialog in flight at once: enough to fill a link, small enough to bound the far end's
holding area."""

WAITING_BYTES_KEPT: Final = 64 * 1024 * 1024
"""Waiting messages that an instance has in memory, rows included, beside those that are under way."""

TRANSMISSION_OBJECT_BYTES: Final = 1280
"""What a transmission object that rests is counted with, all indexes included; a benchmark measures it."""

OBJECT_BYTES_KEPT: Final = 256 * 1024 * 1024
"""Transmission objects that an instance keeps in memory though nobody needs them now: some 200,000."""

MESSAGES_READ_AT_ONCE: Final = 64
MESSAGES_READ_BYTES: Final = SEND_WINDOW_BYTES // 4
"""Messages, and bytes of them, that are read back from the store together: a quarter of the window."""

HELD_MESSAGES_MAX: Final = 512
HELD_BYTES_MAX: Final = FRAGMENT_BYTES_MAX + SEND_WINDOW_BYTES
"""Early messages and fragments a receiver holds for one dialog: more than the window, so an honest sender never meets
either bound."""

WAITING_ROOM_SECONDS: Final = 10.0
"""How long a message that came before the first of its dialog is kept in memory (protocol.md 20)."""

WAITING_ROOM_MESSAGES_MAX: Final = 4096
WAITING_ROOM_BYTES_MAX: Final = 16 * 1024 * 1024
"""What is kept of such messages altogether: the windows of some dialogs, enough for the few whose first one is late."""

REASSEMBLY_BYTES_MAX: Final = 256 * 1024 * 1024
"""Bytes of large messages an instance puts together at once; at this bound it begins no other (see `Reassembly`)."""

ACKNOWLEDGEMENT_TICKS: Final = 5
"""Ticks of the delay of acknowledgements at which those of all dialogs leave, together."""

ACKNOWLEDGE_AFTER_MESSAGES: Final = 64
ACKNOWLEDGE_AFTER_BYTES: Final = SEND_WINDOW_BYTES // 4
"""What may be unacknowledged before a receiver does not wait for the delay: a quarter of the window."""

RECEIVE_MESSAGES_MAX: Final = 10_000
"""Messages one RECEIVE may hand out, so that one reply fits into memory."""

SEND_MESSAGES_MAX: Final = 10_000
"""Messages one bulk SEND may bring, so that it and its commit fit into memory."""

PICTURE_ROWS_MAX: Final = 1_000
"""Rows of one picture, however many are asked for."""

PICTURE_EXAMINED_MAX: Final = 5_000
"""Rows that one picture holds against its filters: while it is made, the instance does nothing else."""

PICTURE_EVENTS_KEPT: Final = 16_384
"""The last events that an instance remembers: a picture that is older than these is made as a whole."""

STATE_INDEX_MAX: Final = 10_000
"""Conversations of a database in one state that are remembered by it; of more there are enough wherever one looks."""

SYSTEM_VIEW_ROWS_MAX: Final = 10_000
"""Rows of one page of a system view, however many are asked for."""

SYSTEM_VIEW_EXAMINED_MAX: Final = 10_000
"""Rows that one query of a system view holds against its filters: while it reads, the instance does nothing else."""

SYSTEM_VIEW_BODY_BYTES_MAX: Final = 8 * 1024 * 1024
"""Bytes of bodies after which a page of a system view ends, so that one answer fits into memory."""

PEEK_BODY_BYTES_MAX: Final = 64 * 1024
"""Bytes of one body in a peek: as many as people are shown."""

PEEK_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes of all bodies of one peek."""

CERTIFICATE_NOTICE_SECONDS: Final = 30 * 86_400
"""A certificate that has less than this left is said to expire soon (diagnose.md SBD-509)."""
CERTIFICATE_BYTES_MAX: Final = 32 * 1024
CERTIFICATE_KEY_BITS_STEP: Final = 64
CERTIFICATE_KEY_BITS_MAX: Final = 4096
"""A certificate that dialogs use is shorter than this, its key a multiple of the step (protocol.md 9.2). The vendor's
longest key has grown from version to version; 4,096 bits is the longest of today."""

CERTIFICATE_START_MIN: Final = UtcTime(-631_152_000.0)
CERTIFICATE_EXPIRY_MAX: Final = UtcTime(253_402_300_799.0)
"""1950-01-01 and the last second of 9999: X.509 says no instant before or after (RFC 5280, 4.1.2.5)."""

SECURED_BYTES_MAX: Final = 64
"""What securing adds to a large body at most: salt, integrity check, padding and their lengths."""

KEY_EXCHANGE_KEYS_MAX: Final = 256
"""Key-exchange keys kept for each direction: an instance talks to so many certificates; a lost one is made anew."""

DEPARTED_SESSIONS_MAX: Final = 10_000
"""Secured conversations that are gone here whose keys are kept, so that a late message can be answered at all."""

RECEIVE_BYTES_MAX: Final = 16 * 1024 * 1024
"""Bytes of bodies after which a RECEIVE hands out no further message: its reply is stored as one value."""

POISON_ROLLBACKS_MAX: Final = 5
"""Rolled-back transactions in a row that switch a queue off (protocol.md 14)."""

STARVATION_ELEVATION_EVERY: Final = 8
"""Messages sent past waiting ones of lower priority before one of those is elevated (protocol.md 11)."""

PRIORITY_LEVEL_MIN: Final = 1
PRIORITY_LEVEL_MAX: Final = 10
PRIORITY_LEVEL_DEFAULT: Final = 5
"""Levels of a conversation priority; 10 goes first (protocol.md 11)."""

TRANSACTIONS_MAX: Final = 1024
"""Transactions open at once in one instance: a session each, and nobody has so many readers."""

WAITERS_MAX: Final = 1024
"""Sessions that wait at once in WAITFOR in one instance; as many as may have a transaction each."""

WAITFOR_MILLISECONDS_MAX: Final = 2**31 - 1
"""The longest TIMEOUT of a WAITFOR, an int; almost 25 days."""

TRANSACTION_STATEMENTS_MAX: Final = 10_000
"""Statements one transaction may hold back until its commit, which is one commit of the store as well."""

TRANSACTION_GROUPS_MAX: Final = 10_000
"""Conversation groups one transaction may lock: a RECEIVE that finds nothing locks, and holds nothing back."""

TRANSACTION_STATEMENT_BYTES: Final = 1024
"""What a statement that is held back is counted with besides its body: names, ids, and the objects that hold them."""

TRANSACTION_BYTES_MAX: Final = 64 * 1024 * 1024
TRANSACTIONS_BYTES_MAX: Final = 256 * 1024 * 1024
"""Bytes that one transaction, and all of them together, hold back before another statement is refused: so no more
than that and one statement is ever kept, and the largest body can be sent in a transaction, too."""

REQUEST_PAUSES_MAX: Final = 10_000
"""Services for which an answer that did not help keeps the next request for a route back; the oldest is forgotten."""

LINKS_KEPT_MAX: Final = 4096
"""Addresses of which an instance remembers how the last connection ended; beyond it those are forgotten that nobody
uses. Routes come and go, and with TRANSPORT every service name is an address."""

HOPS_MAX: Final = 16
"""Forwards a message survives (protocol.md 7.4)."""

FORWARD_SECONDS_MAX: Final = 60
"""Time a message may spend in forwarders altogether (protocol.md 7.4)."""

FORWARD_SIZE_MEGABYTES_DEFAULT: Final = 10
"""MESSAGE_FORWARD_SIZE when not given (tsql.md 8)."""

BACKUP_BYTES_MAX: Final = 64 * 1024 * 1024
"""Bytes of messages that one backup holds: it travels as one reply (error 3202)."""

COMMIT_INPUTS_MAX: Final = 512
"""Inputs that share one commit: past this a larger batch gains nothing and only makes everybody wait."""

EVENTS_HELD_SECONDS_MAX: Final = 0.05
"""How long events of messages that pass through wait for a commit that there is to be anyway."""

EVENTS_HELD_MAX: Final = 4096
"""How many of them wait at most."""

SESSIONS_MAX: Final = 1024
"""Programs connected to one instance at once; a program beyond is turned away."""

SESSION_STRANGERS_MAX: Final = 64
"""Connections that have not said their word yet; beyond it the oldest of them goes."""

SESSION_HELLO_SECONDS: Final = 5.0
"""How long a connection may take for its first word."""

SESSION_HELLO_BYTES_MAX: Final = 4096
"""Bytes of the first word: nothing larger is read of a stranger."""

SESSION_HEARTBEAT_SECONDS: Final = 5.0
"""How often a host tells its sessions that it is there."""

SESSION_SILENCE_SECONDS_MAX: Final = 30.0
"""After so long without a word of its host a session has lost it: the lease of a worker lasts half as long."""

SESSION_REQUESTS_MAX: Final = 64
"""Requests of one session under way at once; the next is read when one of them is answered."""

SESSION_FRAME_BYTES_MAX: Final = 512 * 1024 * 1024
"""Bytes of one request or answer: the largest message body fits, whatever goes with it."""

COMMAND_REPLIES_KEPT: Final = 10_000
"""Replies kept for commands that may be delivered twice, whatever their age."""

OPEN_REPLIES_BYTES_MAX: Final = 64 * 1024 * 1024
"""Bytes of bodies in the replies to statements of transactions, kept in memory; beyond it the oldest go."""

COMMAND_REPLIES_BYTES_MAX: Final = 256 * 1024 * 1024
"""Bytes of replies kept on disk: those of RECEIVE hold the messages. Beyond it the oldest go, once old enough."""

COMMAND_REPLIES_SECONDS_MIN: Final = 60.0
"""Age under which no reply goes for its size or for the number of others: until then the command may be delivered
again. A task that nobody waits for any more has expired long before (15 s), and a worker is replaced in as many."""

COMMAND_REPLIES_MAX: Final = 1_000_000
"""Replies kept at most, whatever their age, in some 110 MB of memory: those of a minute at 16,000 commands a second.
Programs that are faster, one command a message, are known for less than a minute."""

EVENTS_KEPT: Final = 100_000
"""Events that a store keeps before the oldest are deleted, unless it is told otherwise."""

HOSTED_EVENTS_KEPT: Final = 1_000_000
"""Events that a hosted instance keeps, unless configured: some 150 MB, what 800,000 messages in bulk tell one side."""
