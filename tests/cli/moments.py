"""Runs that are met under way and stopped, whatever else the machine does meanwhile and however fast it is."""
import os
import signal
import threading
import time


def seconds_of(process):
    """Of processors, that a process has used until now."""
    with open(f"/proc/{process.pid}/stat") as file:
        user, system = file.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def wait_for(process, there):
    """Until there() or the process has ended."""
    while process.poll() is None and not there():
        time.sleep(0.005)


def stop(process, number, within):
    """Sends a signal and waits for the end; what stderr still said. It may take `within` seconds: of the clock, or of processors where others
    keep them busy."""
    if process.poll() is not None:
        return process.stderr.read()
    hangs = threading.Timer(1000, process.kill)
    before, begin = seconds_of(process), time.monotonic()
    process.send_signal(number)
    hangs.start()
    said = process.stderr.read()
    _, state, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(state)
    hangs.cancel()
    spent = used.ru_utime + used.ru_stime - before
    took = time.monotonic() - begin
    assert process.returncode != -signal.SIGKILL and min(took, spent) < within, f"{took:.1f} s, {spent:.1f} s of processors"
    return said
