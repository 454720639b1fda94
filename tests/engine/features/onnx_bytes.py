"""Small networks in ONNX, written byte by byte: protocol buffers of tag, length, content."""

import numpy as np

FLOAT = 1


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number, content):
    """A field: a number, text or bytes."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def attribute(name, value):
    """Of a node: whole numbers."""
    return field(5, field(1, name) + b"".join(field(8, v) for v in value) + field(20, 7))


def node(kind, inputs, output, *attributes):
    names = b"".join(field(1, name) for name in inputs)
    return field(1, names + field(2, output) + field(4, kind) + b"".join(attributes))


def weights(name, values):
    values = np.asarray(values, np.float32)
    dims = b"".join(field(1, size) for size in values.shape)
    return field(5, dims + field(2, FLOAT) + field(8, name) + field(9, values.tobytes()))


def value(number, name, shape):
    """Input (11) or output (12): numbers, or names where any number will do."""
    sizes = b"".join(
        field(1, field(1, size) if isinstance(size, int) else field(2, size)) for size in shape
    )
    return field(number, field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, sizes))))


def model(graph, **said):
    """A file; `said` are its metadata."""
    more = b"".join(field(14, field(1, key) + field(2, words)) for key, words in said.items())
    return field(1, 8) + field(7, graph + field(2, "g")) + field(8, field(2, 13)) + more


def color_network(shape=("n", 3, 8, 8), **said):
    """A 3 x 3 convolution of 3 channels to 4, "bent" at 0, and "y", the mean of each of the four.
    Returns the bytes, and the kernel (4, 3, 3, 3)."""
    kernel = np.random.default_rng(0).normal(size=(4, 3, 3, 3)).astype(np.float32)
    graph = (
        node("Conv", ["x", "w"], "c") + node("Relu", ["c"], "bent")
        + node("GlobalAveragePool", ["bent"], "p") + node("Flatten", ["p"], "y")
        + weights("w", kernel) + value(11, "x", shape) + value(12, "y", ["n", 4])
    )
    return model(graph, **said), kernel


def mean_network(shape, axes):
    """"y", the mean over some axes of the image."""
    graph = (
        node("ReduceMean", ["x"], "y", attribute("axes", axes))
        + value(11, "x", shape) + value(12, "y", [1] * len(shape))
    )
    return model(graph)


