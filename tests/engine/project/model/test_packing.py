"""Arrays inside MessagePack."""

import subprocess
import sys
from typing import Any

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import ProjectError
from emberscope.project.model.packing import ARRAY, decode, encode

# 20 MB of text where there is room for 8: what is left is too little at one of the steps by which
# the result grows.
_NO_ROOM = """
import psutil, resource
from emberscope.project.model.packing import encode
texts = ["x" * 1000] * 20_000
resource.setrlimit(resource.RLIMIT_AS, (psutil.Process().memory_info().vms + (8 << 20),) * 2)
try:
    encode(texts)
except MemoryError:
    print("no memory")
"""


@pytest.mark.parametrize(
    "array",
    [np.eye(2, dtype=np.float32), np.empty((0, 4), np.int64), np.array(3.5), np.arange(4)[::-2],
     np.array([True]),
     np.arange(3, dtype=">i2")],
)  # fmt: skip
def test_an_array_comes_back_with_dtype_and_shape(array):
    back = decode(encode({"a": [array]}), kind=Any, what="it")["a"][0]
    assert back.dtype == array.dtype
    assert np.array_equal(back, array)
    assert back.shape == array.shape


@pytest.mark.parametrize(
    ("name", "shape", "raw"),
    [
        ("|O", (1,), b"1234567"),
        ("<f8", (2,), b"12"),
        ("<f8", (-1,), b"1"),
        ("no", (1,), b""),
        ("<f8", (2**62,), b""),
    ],
)
def test_an_array_that_lies_about_itself_is_refused(name, shape, raw):
    ext = msgspec.msgpack.Ext(ARRAY, msgspec.msgpack.encode((name, shape, raw)))
    with pytest.raises(ProjectError, match="it cannot be read"):
        decode(msgspec.msgpack.encode(ext), kind=Any, what="it")


def test_an_unknown_extension_is_refused():
    with pytest.raises(ProjectError, match="unknown extension 9"):
        decode(msgspec.msgpack.encode(msgspec.msgpack.Ext(9, b"")), kind=Any, what="it")


def test_bottomless_nesting_is_refused():
    with pytest.raises(ProjectError, match="it cannot be read"):
        decode(b"\x91" * 100_000, kind=Any, what="it")


@pytest.mark.skipif(
    sys.platform != "linux", reason="only there a process can be given an end of memory"
)
def test_memory_that_ends_while_packing_is_an_error_that_a_process_outlives():
    ended = subprocess.run(
        [sys.executable, "-c", _NO_ROOM], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "no memory\n"
