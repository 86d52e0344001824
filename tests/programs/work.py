# SPDX-License-Identifier: GPL-3.0-or-later
"""Works for so many seconds in stacks that are known, in two threads more; or, with "trace", prints once each stack that it can have:
its functions from the outermost to the innermost, with the line that each is at, as the interpreter itself says them."""
import functools
import json
import sys
import threading
import time


def leaf(n):
    total = 0
    for i in range(n):
        total += i * i
    return total


def deep(n):
    if n == 0:
        return leaf(400)
    return deep(n - 1)


def numbers(n):
    for i in range(n):
        yield leaf(60) + i


async def wait_for(n):
    return leaf(n)


async def ask(n):
    return await wait_for(n) + await wait_for(n)


class Größe:
    def __init__(self, value):
        self.value = value
        leaf(20)

    def __lt__(self, other):
        return leaf(30) < 0 or self.value < other.value

    @property
    def doubled(self):
        return leaf(40) + 2 * self.value

    @staticmethod
    @functools.lru_cache(maxsize=1)
    def cached(n):
        return leaf(n)


def finish(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value


def fail(n):
    try:
        raise ValueError(leaf(n))
    except ValueError as error:
        return str(error)
    finally:
        leaf(n)


def turn(i):
    deep(20)
    sum(numbers(5))
    sorted([Größe(3), Größe(1), Größe(2)])
    finish(ask(50))
    list(map(lambda n: leaf(n), [30, 40]))
    json.dumps({'value': [Größe(i).doubled]}, default=leaf)
    Größe.cached(i % 3 + 20)
    fail(30)
    [leaf(n) for n in (20, 30)]


def run(end):
    i = 0
    while time.monotonic() < end:
        turn(i)
        i += 1


def trace():
    stacks = set()

    def note(frame, event, argument):
        frame.f_trace_opcodes = True
        stack, at = [], frame
        while at is not None and at.f_code is not trace.__code__:
            stack.append((getattr(at.f_code, 'co_qualname', at.f_code.co_name), at.f_lineno))
            at = at.f_back
        stacks.add(tuple(reversed(stack)))
        return note

    sys.settrace(note)
    for i in range(3):
        turn(i)
    sys.settrace(None)
    print(json.dumps(sorted(stacks, key=str)))


if __name__ == '__main__':
    if sys.argv[1] == 'trace':
        trace()
        sys.exit()
    until = time.monotonic() + float(sys.argv[1])
    others = [threading.Thread(target=run, args=(until,)) for _ in range(2)]
    for other in others:
        other.start()
    run(until)
    for other in others:
        other.join()
