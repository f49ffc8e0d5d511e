"""Memory that `hooke check` predicts, beside what `hooke run` takes."""
from . import results
from .table import section, table

FILE, STATIC = "memory_cpu", "memory_static_cpu"


def there():
    return results.there(FILE) and results.there(STATIC)


def page():
    r, statics = results.load(FILE), results.load(STATIC)
    columns = (("model", "run"), ("form of K", "method"), ("precision", "precision"), ("nodes", "nodes", ","), ("elements", "elements", ","),
               ("peak, MB", lambda row: row["peak"] / 1e6, ".0f"), ("bytes per node", "per_node", ".0f"), ("predicted / peak", "ratio", ".3f"),
               ("buffers, MB", lambda row: row["device_peak"] / 1e6 if "device_peak" in row else None, ".0f"),
               ("predicted / buffers", lambda row: row["device_predicted"] / row["device_peak"] if "device_peak" in row else None, ".3f"))
    return [*section("Explicit runs", f'Commit {r["commit"]}. {r["about"]} The peak is the most bytes of the process that were resident, as the system counts them; `run.json` states the same. Buffers are '
                     "K and the state, which a GPU would hold.", table(r["rows"], *columns)),
            *section("Static runs and heat", f'Commit {statics["commit"]}. {statics["about"]} `hooke check` makes K and the solver of a part of the mesh, of 8 000 to 40 000 nodes, and estimates factors by a '
                     "formula for nested dissection. PETSc obtains its memory itself, and only the pages of its code are counted. The form of `femses` holds pages that stay empty, which the prediction counts: with multigrid it is 11 % too large.", table(statics["rows"], *columns[:8]))]
