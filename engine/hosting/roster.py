"""`Roster`: which instances live on this host, and why others do not; it opens, closes, mends and lets go of them.

It lives on the host's event loop. An instance is opened under a lease, so that one host has it at a time; where the
book of leases is not shared, the lock on the store's file says so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Final

import msgspec

from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.hosting.errors import EngineUnavailable, reason_of
from engine.hosting.figures import resident_bytes
from engine.hosting.hosted import HostedInstance
from engine.hosting.lease_keeper import LeaseKeeper
from engine.hosting.leases import HolderId, InstanceFigures, LeaseBook
from engine.hosting.loading import BesideTheLoop, IsGivenUp, LoadedInstance, load_instance
from engine.hosting.metrics.reading import InstanceReading
from engine.hosting.settings import HostingSettings
from engine.hosting.shelf import InstanceKey, InstanceNote, StoreShelf, read_note, store_gone, write_note
from engine.hosting.surroundings import Surroundings
from engine.hosting.tenure import Tenure
from engine.storage.errors import StoreFailed, StoreInUse

logger = logging.getLogger(__name__)

LOADING_SECONDS: Final = 1.0
"""How long those that are loaded wait for the next one, to begin together."""

OnHosted = Callable[[EstateName, InstanceName, bool], None]
"""Told when this host begins (True) or ceases (False) to answer for an instance."""


class Roster:
    """Raises `EngineUnavailable` whenever an instance cannot be asked, with a sentence that says why."""

    def __init__(
        self,
        settings: HostingSettings,
        shelf: StoreShelf,
        surroundings: Surroundings,
        book: LeaseBook,
        holder: HolderId,
        on_hosted: OnHosted,
    ) -> None:
        """`on_hosted` must not block."""
        self._shelf = shelf
        self._around = surroundings
        self._on_hosted = on_hosted
        self._leases = LeaseKeeper(
            book, holder, settings.lease_seconds, surroundings.clock, figures=self._figures, on_lost=self._lose
        )
        self._instances: dict[InstanceKey, HostedInstance] = {}
        self._failures: dict[InstanceKey, str] = {}
        self._put_away: dict[InstanceKey, Hashable] = {}
        """Stamps of stores that were seen to be of closed instances; as long as they stay, nobody opens them."""
        self._seen: set[InstanceKey] | None = None
        """What had a store when the book was last asked what should have one; a host that is alone asks seldom."""
        self._beside = BesideTheLoop()
        self._loading: InstanceKey | None = None
        """Which instance is being loaded; one at a time is."""
        self._trouble = ""
        """Why the stores could not be looked through the last time; empty when they could."""
        self._turn = asyncio.Lock()

    async def begin(self) -> None:
        """Open what is there and nobody has; returns when all of it listens and works."""
        self._leases.start()
        try:
            async with self._turn:
                await self._open_what_is_not_alive(mends=True)
        except StoreFailed as error:
            self._say_once(error)
        except BaseException:
            await self._leases.stop()
            raise

    async def end(self) -> None:
        """Take in what has arrived, tell the neighbours, close the stores, give the leases back."""
        async with self._turn:
            try:
                for hosted in self._instances.values():
                    await _close_quietly(hosted)
            finally:
                self._beside.close()
                await self._leases.stop()

    def hosted(self, key: InstanceKey) -> HostedInstance:
        """The living instance of that name."""
        hosted = self._instances.get(key)
        if hosted is None:
            absent = "is being loaded" if key == self._loading else "is not open in this engine"
            reason = self._failures.get(key, absent)
            raise EngineUnavailable(f"Instance {key[1]} of estate {key[0]} {reason}.")
        return hosted

    def readings(self) -> list[InstanceReading]:
        """What is measured of every instance that this host answers for."""
        failed = [
            InstanceReading(key=key, figures=InstanceFigures(failure=why))
            for key, why in self._failures.items()
            if key not in self._instances
        ]
        return failed + [hosted.reading() for hosted in self._instances.values()]

    async def open(self, key: InstanceKey, note: InstanceNote, *, makes: bool) -> bool:
        """Host an instance as its note says; False when another host has it.

        Its store is made when it does not exist. Without `makes` one that was open and is not there is gone (5120).
        """
        async with self._turn:
            known = self._instances.get(key)
            if known is not None:
                if not known.failure and known.note == note:
                    return True
                await known.close()
            is_gone = not makes and not self._shelf.exists(key) and key in await self._leases.left_open()
            tenure = await self._leases.take(key)
            if tenure is None:
                self._release(key)
                return False
            try:
                hosted = await self._load(key, tenure, note, makes=not is_gone)
            except Exception as error:
                if isinstance(error, StoreInUse) and not self._leases.fences:
                    await self._leave(key)
                    return False
                self._note_failure(key, error)
                raise EngineUnavailable(f"Instance {key[1]} of estate {key[0]} cannot be opened: {error}.") from error
            if hosted is None:
                return False
            await self._begin_together([hosted])
            self.hosted(key)
            return True

    async def close(self, key: InstanceKey, forgets: bool) -> bool:
        """Host an instance no more, also after a restart; False when another host has it."""
        async with self._turn:
            tenure = await self._leases.take(key)
            if tenure is None:
                self._release(key)
                return False
            known = self._instances.get(key)
            try:
                # First of all what must not be lost: whatever fails later, nobody opens it again.
                if known is not None and not known.failure:
                    known.remember_closed()
                elif self._shelf.exists(key):
                    await self._beside.run(lambda _: self._write_closed(key, tenure), undo=lambda _: None)
                self._release(key)
                if known is not None:
                    await known.close()
                self._around.directory.remove(*key)
                if forgets:
                    self._shelf.delete(key)
                    (self._seen or set()).discard(key)
            except StoreInUse:
                # Another worker has it.
                await self._leave(key)
                return False
            except (StoreFailed, OSError) as error:
                raise EngineUnavailable(f"Instance {key[1]} of estate {key[0]} cannot be closed: {error}.") from error
            await self._leases.give_back(key, is_closed=True)
            return True

    async def look(self, *, mends: bool) -> None:
        """Take up what nobody has; with `mends` also what has failed here, and ports that were taken."""
        async with self._turn:
            try:
                self._let_go_of_what_is_lost()
                await self._open_what_is_not_alive(mends)
                if mends:
                    for hosted in list(self._instances.values()):
                        await self._apart(hosted, hosted.mend)
                self._trouble = ""
            except StoreFailed as error:
                self._say_once(error)
            except Exception:
                logger.exception("What is not alive could not be looked after.")

    def _say_once(self, error: StoreFailed) -> None:
        """A server of stores that is away comes back; until then everybody who asks hears why nothing is open."""
        if str(error) != self._trouble:
            logger.error("The stores cannot be looked through; it is tried again shortly: %s", error)
        self._trouble = str(error)

    # ── leases ───────────────────────────────────────────────────────────────────────────────────────────────────
    def _figures(self) -> Mapping[InstanceKey, InstanceFigures]:
        """How everything is that this host answers for."""
        memory = resident_bytes()
        failed = {key: InstanceFigures(worker_bytes=memory, failure=why) for key, why in self._failures.items()}
        return failed | {key: hosted.figures(memory) for key, hosted in self._instances.items()}

    def _lose(self, key: InstanceKey, reason: str) -> None:
        """Its lease is gone: it falls silent at once, and whoever has it now is asked instead."""
        logger.warning("Instance %s of estate %s is not hosted here any more: %s.", key[1], key[0], reason)
        hosted = self._instances.get(key)
        if hosted is not None:
            hosted.lose(reason)
        self._release(key)

    def _let_go_of_what_is_lost(self) -> None:
        self._leases.lose_what_has_ended()
        for key, hosted in list(self._instances.items()):
            if hosted.is_lost:
                # It noticed by itself.
                self._leases.drop(key)
                self._release(key)

    async def _leave(self, key: InstanceKey) -> None:
        """Another host has it after all."""
        self._release(key)
        await self._leases.give_back(key)

    # ── opening and closing ──────────────────────────────────────────────────────────────────────────────────────
    def _write_closed(self, key: InstanceKey, tenure: Tenure) -> None:
        """Write into the file of an instance that does not live here that nobody hosts it."""
        with closing(self._shelf.open(key, tenure.fence)) as store:
            write_note(store, msgspec.structs.replace(read_note(store), is_open=False))

    def _release(self, key: InstanceKey) -> None:
        """Answer for an instance no more, not even with why it failed; harmless when it is not ours."""
        known = self._instances.pop(key, None)
        failure = self._failures.pop(key, None)
        if known is not None or failure is not None:
            self._on_hosted(*key, False)

    def _note_failure(self, key: InstanceKey, error: Exception) -> None:
        """Say to everybody who asks why an instance cannot be opened."""
        self._instances.pop(key, None)
        if key not in self._failures:
            # The disk's own reason is enough; of a fault of ours the way to it is wanted, too.
            trace = None if isinstance(error, StoreFailed) else error
            logger.error("Instance %s of estate %s cannot be opened: %s.", key[1], key[0], error, exc_info=trace)
            self._on_hosted(*key, True)
        self._failures[key] = f"cannot be opened: {reason_of(error)}"

    async def _load(
        self, key: InstanceKey, tenure: Tenure, wanted: InstanceNote | None = None, *, makes: bool = False
    ) -> HostedInstance | None:
        """Bring an instance to life; None for one that is put away, or was lost meanwhile. `StoreFailed`.

        The note that is `wanted` is written before anything happens to it; without one, that of its store counts.
        """
        self._loading = key
        try:
            loaded = await self._beside.run(partial(self._read, key, tenure, wanted, makes), undo=_close)
        finally:
            self._loading = None
        if loaded is None:
            return None
        if not self._leases.is_held(key, tenure):
            loaded.close()
            self._release(key)
            return None
        try:
            hosted = self._instances[key] = HostedInstance(key, loaded, self._around, tenure)
        except BaseException:
            loaded.close()
            raise
        self._failures.pop(key, None)
        self._put_away.pop(key, None)
        self._on_hosted(*key, True)
        return hosted

    def _read(
        self, key: InstanceKey, tenure: Tenure, wanted: InstanceNote | None, makes: bool, is_given_up: IsGivenUp
    ) -> LoadedInstance | None:
        """Beside the loop: the instance as its store has it; None for one that nobody is to host."""
        if not makes and not self._shelf.exists(key):
            raise store_gone(self._shelf, key)
        store = self._shelf.open(key, tenure.fence)
        try:
            note = read_note(store)
            if wanted is not None and note != wanted:
                write_note(store, wanted)
            if (wanted or note).is_open:
                return load_instance(wanted or note, store, self._around, is_given_up)
        except BaseException:
            store.close()
            raise
        store.close()
        return None

    async def _open_what_is_not_alive(self, mends: bool) -> None:
        keys = list(self._shelf.find())
        await self._look_for_what_is_gone(keys, mends)
        for key in self._instances.keys() - set(keys):
            if self._instances[key].failure:
                # Another worker has forgotten it meanwhile.
                await self._leave(key)
        wanted = [key for key in keys if self._is_to_be_opened(key, mends)]
        if not wanted:
            return
        elsewhere = await self._leases.taken_elsewhere(wanted)
        for key in elsewhere:
            self._release(key)
        await self._load_all([key for key in wanted if key not in elsewhere])

    async def _look_for_what_is_gone(self, there: Sequence[InstanceKey], mends: bool) -> None:
        """Say of instances that were opened that their store is gone: nobody else would, and nobody makes another."""
        known = set(there)
        for key, hosted in list(self._instances.items()):
            if not hosted.failure and (key not in known or not hosted.store.is_in_place):
                # What it acknowledged from here on would be gone with the process.
                error = store_gone(self._shelf, key)
                hosted.lose(str(error))
                self._note_failure(key, error)
        if not mends or (self._seen is not None and self._seen <= known and not self._leases.fences):
            return
        for key in set(await self._leases.left_open()) - known - self._instances.keys() - self._failures.keys():
            if await self._leases.take(key) is not None:
                self._note_failure(key, store_gone(self._shelf, key))
        self._seen = known

    async def _load_all(self, keys: Sequence[InstanceKey]) -> None:
        """One after another; what is loaded begins with the last of them, or sooner where one takes long."""
        opened: list[HostedInstance] = []
        for key in keys:
            loading = asyncio.get_running_loop().create_task(self._try_to_load(key))
            try:
                await asyncio.wait([loading], timeout=LOADING_SECONDS)
                if not loading.done():
                    await self._begin_together(opened)
                    opened = []
                hosted = await loading
            finally:
                if loading.cancel():
                    await asyncio.wait([loading])
            if hosted is not None:
                opened.append(hosted)
        await self._begin_together(opened)

    def _is_to_be_opened(self, key: InstanceKey, mends: bool) -> bool:
        """Whether an instance is not alive here, and it is time to try."""
        known = self._instances.get(key)
        if known is not None and not known.failure:
            return False
        return mends or (known is None and key not in self._failures)

    async def _begin_together(self, opened: Sequence[HostedInstance]) -> None:
        """All of them listen before the first one sends, or the first calls between them would fail."""
        for hosted in opened:
            await self._apart(hosted, hosted.listen)
        for hosted in opened:
            hosted.begin()

    async def _apart(self, hosted: HostedInstance, act: Callable[[], Awaitable[None]]) -> None:
        """Do something for one instance. An error ends that instance with its reason; the others go on."""
        try:
            await act()
        except Exception as error:
            hosted.lose(str(error))
            self._note_failure(hosted.key, error)

    async def _try_to_load(self, key: InstanceKey) -> HostedInstance | None:
        """An instance that should be alive; None for one that should not, and for one that cannot be opened."""
        if not self._leases.fences and self._put_away.get(key) == self._shelf.stamp(key):
            return None
        tenure = await self._leases.take(key)
        if tenure is None:
            self._release(key)
            return None
        try:
            hosted = await self._load(key, tenure)
            if hosted is not None:
                return hosted
            if self._leases.is_held(key, tenure):
                self._put_away[key] = self._shelf.stamp(key)
                self._release(key)
                await self._leases.give_back(key, is_closed=True)
        except Exception as error:
            if isinstance(error, StoreInUse) and not self._leases.fences:
                # Another worker hosts it.
                await self._leave(key)
            else:
                # Whatever is wrong with one instance, the others must come up.
                self._note_failure(key, error)
        return None


async def _close_quietly(hosted: HostedInstance) -> None:
    """Whatever is wrong with one instance, the others must be closed, too."""
    try:
        await hosted.close()
    except Exception:
        logger.exception("An instance did not close cleanly.")


def _close(loaded: LoadedInstance | None) -> None:
    """Nobody has waited for it."""
    if loaded is not None:
        loaded.close()
