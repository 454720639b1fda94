"""How fast the computer is right now: a fixed piece of work, so that figures of two days can be
compared."""

import time

# Ms a million steps take on the computer of the figures in the changelog with nothing beside them
USUAL = 50.0
_STEPS = 40_000
_LOOP = compile(f"n = 0\nwhile n < {_STEPS}: n += 1", "fixed work", "exec")


def ms_per_million(times: int = 1) -> float:
    """ms of this thread's own time for a million steps of a Python loop, the middle of so many
    short tries."""
    tries = []
    for _ in range(times):
        begun = time.thread_time()
        exec(_LOOP, {})
        tries.append(time.thread_time() - begun)
    return 1e3 * sorted(tries)[len(tries) // 2] * 1e6 / _STEPS


def slowness() -> float:
    """How many times as long as usual a piece of work takes at this moment."""
    return ms_per_million() / USUAL


def speed_row(when: str) -> tuple[str, float, str, str]:
    """A row of a bench."""
    return (
        f"a million steps of a Python loop, {when}",
        ms_per_million(25),
        "ms",
        f"usually {USUAL:.0f} ms",
    )
