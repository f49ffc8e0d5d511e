"""Long calls of the library, in a thread of their own, so that the caller's takes Ctrl-C and reports progress meanwhile."""
from __future__ import annotations

import ctypes
import queue
import threading
from dataclasses import dataclass
from typing import Any, Callable, cast

from . import _library
from ._call import last_words


@dataclass(frozen=True)
class Progress:
    """Where a run is. time and end_time are in the model's unit of time; seconds_left is None when unknown."""

    stage: str
    step: int
    steps: int
    time: float
    end_time: float
    seconds_left: float | None
    dofs_per_second: float
    energy: float
    energy_error: float
    iteration: int
    residual: float

    @property
    def fraction(self) -> float:
        """0 ... 1 of the steps"""
        return self.step / self.steps if self.steps > 0 else 0.0

    def __str__(self) -> str:
        if self.steps <= 0:
            return self.stage
        if self.iteration > 0:
            return f"step {self.step} of {self.steps}  iteration {self.iteration}  residual {self.residual:.2e}"
        left = "?" if self.seconds_left is None else f"{self.seconds_left:.0f} s"
        return (f"{100 * self.fraction:3.0f} %  step {self.step} of {self.steps}  time {self.time:.4g} of {self.end_time:.4g}  "
                f"{left} left  {self.dofs_per_second / 1e6:.3g} Mdof/s  energy {self.energy:.4g}")


def _progress(p: _library.hk_progress) -> Progress:
    values = {name: getattr(p, name) for name, *_ in p._fields_}
    return Progress(**{**values, "stage": p.stage.decode(), "seconds_left": p.seconds_left if p.seconds_left >= 0 else None})


class Watch:
    """The callbacks of a descriptor: its `stop` and, where it has one, its `progress`. It outlives what uses the descriptor.

    The library asks whether to stop thousands of times a second: that is a flag which it reads itself, so that it never waits for
    other Python threads.
    """

    def __init__(self, desc: Any):
        self.events: queue.SimpleQueue[Progress | tuple[int, str]] = queue.SimpleQueue()
        self._stop = ctypes.c_bool(False)
        desc.user = ctypes.addressof(self._stop)
        desc.stop = ctypes.cast(_library.library().hk_stop_when_set, _library.STOP)
        if hasattr(desc, "progress"):
            desc.progress = self._progress = _library.PROGRESS(lambda p, _: self.events.put(_progress(p.contents)))

    @property
    def stopping(self) -> bool:
        """Whether the library is to stop."""
        return self._stop.value

    @stopping.setter
    def stopping(self, stop: bool) -> None:
        self._stop.value = stop

    def wait(self, call: Callable[[], int], report: Callable[[Progress], Any] | None = None) -> tuple[int, str, BaseException | None]:
        """Status and words of call(), and what was raised meanwhile, by Ctrl-C or by `report`, which stops it, as False does. However
        it is left, the library works no more."""
        ended: tuple[int, str] | None = None
        raised: BaseException | None = None
        self.stopping, self.events, first = False, queue.SimpleQueue(), threading.Lock()
        thread = threading.Thread(target=self._work, args=(call, first), name="hooke")
        try:
            thread.start()
        except BaseException as error:  # before or after it began
            if first.acquire(blocking=False):
                return 1, "it had not begun", error
            raised, self.stopping = error, True
        try:
            while ended is None:
                try:
                    event = self.events.get()
                    if isinstance(event, tuple):
                        ended = event
                    elif report and not self.stopping and _refuses(report(event)):
                        self.stopping = True
                except BaseException as error:  # the checkpoint comes first
                    raised, self.stopping = raised or error, True
        finally:
            while thread.is_alive():
                try:
                    self.stopping = True
                    thread.join()
                except BaseException as error:
                    raised = raised or error
        return *ended, raised

    def _work(self, call: Callable[[], int], first: threading.Lock) -> None:
        """Puts status and words of call() into `events`. `first`: whose it is, this thread's or that of the caller who gave up."""
        if not first.acquire(blocking=False):
            return
        status, words = 1, "the library could not be called"
        try:
            status = call()
            words = last_words(status) if status else ""
        finally:
            self.events.put((status, words))


def listener(progress: Any) -> Callable[[Any], Any] | None:
    """What is to be told of progress: a callable; nothing of None, True and False."""
    if progress is None or isinstance(progress, bool):
        return None
    if not callable(progress):
        raise TypeError(f"progress must be a callable, not {type(progress).__name__}")
    return cast("Callable[[Any], Any]", progress)


def _refuses(answer: Any) -> bool:
    """False, numpy's too; nothing said is no refusal."""
    return answer is not None and not answer


def settle(words: str, raised: BaseException | None) -> None:
    """Raises what wait() caught; KeyboardInterrupt with the library's words."""
    if isinstance(raised, KeyboardInterrupt):
        raise KeyboardInterrupt(words or "it had ended") from None
    if raised:
        raise raised
