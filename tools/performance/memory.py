"""Memory that `hooke check` predicts, beside what `hooke run` takes."""
from . import results
from .table import section, table

FILE, STATIC, WHOLE, RANKS = "memory_cpu", "memory_static_cpu", "memory_h200", "ranks_memory"
NEAR, MOST = .05, 1.5  # predictions may miss by that; peak of the host over the buffers of the device


def there():
    return results.there(FILE) and results.there(STATIC)


def near(ratio):
    return None if ratio is None else "met" if abs(ratio - 1) <= NEAR else "missed"


def over_device(row, key):
    return row[key] / row["device_peak"] if "device_peak" in row else None


def host_share(row):
    share = over_device(row, "peak")
    return None if share is None else "met" if share <= MOST else "missed"


def whole():
    """The five models of bench/whole.py on a GPU."""
    if not results.there(WHOLE):
        return []
    r = results.load(WHOLE)
    return section(f'Whole commands, {r["rows"][0]["device_name"]}', f'`bench/memory.py --whole`; {r["compiler"]}. {r["about"]} Targets: the host holds at most {MOST} times what the '
                   f'device holds, and `hooke check` predicts both within {100 * NEAR:.0f} %.', table(
                       r["rows"], ("model", "run"), ("form of K", "method"), ("precision", "precision"), ("nodes", "nodes", ","), ("host, MB", lambda row: row["peak"] / 1e6, ".0f"),
                       ("device, MB", lambda row: row["device_peak"] / 1e6 if "device_peak" in row else None, ".0f"),
                       ("host / device", lambda row: over_device(row, "peak"), ".2f"), ("at most 1.5", host_share), ("host, predicted / peak", "ratio", ".3f"), ("within 5 %", lambda row: near(row["ratio"])),
                       ("device, predicted / held", lambda row: over_device(row, "device_predicted"), ".3f"), ("within 5 %", lambda row: near(over_device(row, "device_predicted")))))


def ranks():
    """What each rank of an explicit run holds."""
    r = results.load(RANKS)
    return section("Ranks of MPI", f'Commit {r["commit"]}; {r["compiler"]}. {r["about"]} The most that was resident of a rank, as the system counts it. K and the state are shared out, the mesh and the '
                   "numbering of the whole model are not, so that memory does not fall as one over the ranks.", table(
                       r["rows"], ("model", "model"), ("form of K", "form"), ("nodes", "nodes", ","), ("ranks", "ranks"), ("least of a rank, MB", "least_mb", ".0f"), ("most, MB", "most_mb", ".0f")))


def page():
    r, statics = results.load(FILE), results.load(STATIC)
    columns = (("model", "run"), ("form of K", "method"), ("precision", "precision"), ("nodes", "nodes", ","), ("elements", "elements", ","),
               ("peak, MB", lambda row: row["peak"] / 1e6, ".0f"), ("bytes per node", "per_node", ".0f"), ("predicted / peak", "ratio", ".3f"),
               ("buffers, MB", lambda row: row["device_peak"] / 1e6 if "device_peak" in row else None, ".0f"),
               ("predicted / buffers", lambda row: row["device_predicted"] / row["device_peak"] if "device_peak" in row else None, ".3f"))
    return [*whole(), *section("Explicit runs", f'Commit {r["commit"]}; {r["compiler"]}. {r["about"]} The peak is the most bytes of the process that were resident, as the system counts them; `run.json` states the same. Buffers are '
                     "K and the state, which a GPU would hold.", table(r["rows"], *columns)), *ranks(),
            *section("Static runs and heat", f'Commit {statics["commit"]}. {statics["about"]} `hooke check` makes K and the solver of a part of the mesh, of 8 000 to 40 000 nodes, and estimates factors by a '
                     "formula for nested dissection. PETSc obtains its memory itself, and only the pages of its code are counted. The form of `femses` holds pages that stay empty, which the prediction counts: with multigrid it is 11 % too large.", table(statics["rows"], *columns[:8]))]
