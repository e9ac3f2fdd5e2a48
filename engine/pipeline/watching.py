"""`watched`: work on Spark in a thread of its own, with its progress told to the caller, who may end it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from threading import Event, Lock
from typing import Final, TypeVar

from pyspark import InheritableThread, SparkContext
from pyspark.sql import SparkSession

TELL_SECONDS: Final = 0.5
"""Between two looks at how far it is."""
_CANCEL_SECONDS: Final = 0.5
Made = TypeVar("Made")


Progress = Callable[[str, int, int], None]
"""Hears the stage and how many of the tasks known so far are done, 0 of 0 at first; what it raises ends the run."""


def nobody(stage: str, done: int, total: int) -> None:
    """Where nobody listens."""


class RunCancelled(Exception):
    """Inside the work: whoever asked for it does not want it any more."""


class Stages:
    """Which part is under way; the work names it, the caller reads it."""

    def __init__(self) -> None:
        self._lock: Final = Lock()
        self._name = "starting"
        self.is_cancelled: Final = Event()

    def __call__(self, name: str) -> None:
        """A new part begins. Raises `RunCancelled`."""
        if self.is_cancelled.is_set():
            raise RunCancelled
        with self._lock:
            self._name = name

    @property
    def name(self) -> str:
        """The part that is under way."""
        with self._lock:
            return self._name


def watched(session: SparkSession, title: str, work: Callable[[Stages], Made], progress: Progress = nobody) -> Made:
    """What `work` gives; `progress` is called in this thread. Raises what either of them raises.

    When `progress` raises, or this thread is interrupted, Spark's tasks are ended before that goes on to the caller.
    """
    context = session.sparkContext
    group, stages = f"brokerweb-{uuid.uuid4().hex}", Stages()
    made: list[Made] = []
    failed: list[BaseException] = []
    ended = Event()

    def body() -> None:
        try:
            context.setJobGroup(group, title, interruptOnCancel=True)
            made.append(work(stages))
        except BaseException as error:  # a thread cannot raise: whoever waits does
            failed.append(error)
        finally:
            ended.set()

    thread = InheritableThread(target=body, name=title, daemon=True)
    thread.start()
    try:
        while not ended.wait(TELL_SECONDS):
            progress(stages.name, *_tasks(context, group))
        progress(stages.name, *_tasks(context, group))
    except BaseException:
        stages.is_cancelled.set()
        while not ended.wait(_CANCEL_SECONDS):
            context.cancelJobGroup(group)
        thread.join()
        raise
    thread.join()
    if failed:
        raise failed[0]
    return made[0]


def _tasks(context: SparkContext, group: str) -> tuple[int, int]:
    """How many tasks have ended, of all that are known."""
    tracker = context.statusTracker()
    done = total = 0
    for job in tracker.getJobIdsForGroup(group):
        of_job = tracker.getJobInfo(job)
        if of_job is None:
            continue
        for stage in of_job.stageIds:
            of_stage = tracker.getStageInfo(stage)
            if of_stage is not None:
                done += of_stage.numCompletedTasks
                # Of a job that is over, what was not done was not needed: an earlier one has left it.
                total += of_stage.numTasks if of_job.status == "RUNNING" else of_stage.numCompletedTasks
    return done, total
