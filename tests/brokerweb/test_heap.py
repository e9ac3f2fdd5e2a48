"""How many heaps the C library keeps for the threads of a server process, and what becomes of what is free in them."""

import platform
import subprocess
import sys

import pytest

from brokerweb.config.process.heap import HEAPS_MAX
from tests.support.running import REPOSITORY

HEAPS = """
import ctypes, threading
{before}
here = threading.Barrier(20)

def work():
    text = "x" * 50_000
    here.wait()

threads = [threading.Thread(target=work) for _ in range(20)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
libc = ctypes.CDLL(None)
libc.fdopen.restype = ctypes.c_void_p
out = libc.fdopen(1, b"w")
libc.malloc_info(0, ctypes.c_void_p(out))
libc.fflush(ctypes.c_void_p(out))
"""
SHARE = "from brokerweb.config.process.heap import share_heaps; assert share_heaps()"


def heaps(before):
    done = subprocess.run(
        [sys.executable, "-c", HEAPS.format(before=before)], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    return done.stdout.count("<heap nr=")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives threads heaps of their own")
def test_threads_share_few_heaps():
    assert heaps("") > HEAPS_MAX
    assert heaps(SHARE) <= HEAPS_MAX


HOLES = """
import sys, time
from pathlib import Path
{before}

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

blocks = [b"x" * 60_000 for _ in range(2_000)]
full = resident()
kept = blocks[::20]
del blocks
until = time.monotonic() + {patience}
while resident() > full - 60_000_000 and time.monotonic() < until:
    time.sleep(0.02)
print(full - resident())
"""
RETURN = "from brokerweb.config.process.heap import return_free_memory; assert return_free_memory(0.05)"


def returned(before, patience):
    code = HOLES.format(before=before, patience=patience)
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps what is free between what lives")
def test_holes_between_what_lives_are_given_back():
    assert returned("", 0.5) < 30_000_000, "without it they are kept"
    assert returned(RETURN, 60) > 60_000_000
