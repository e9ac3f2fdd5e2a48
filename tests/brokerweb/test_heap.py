"""How many heaps the C library keeps for the threads of a server process."""

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
