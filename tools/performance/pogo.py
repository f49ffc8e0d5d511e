"""The tables of Huthwaite (2014)."""
from . import results
from .table import section, table


def blocks():
    """Partitions; docs/partition.md shows them too."""
    return table((x for x in results.load("pogo_h200")["rows"] if "partition_seconds" in x), ("model", "case"), ("nodes", lambda x: x["dofs"] // 2),
                 ("partitioner", "method"), ("blocks", "blocks"), ("efficiency", "efficiency", ".2f %"), ("paper's", "paper_efficiency", ".1f %"),
                 ("seconds", "seconds", ".2f"), ("paper's", "paper_seconds", ".1f"))


def page():
    r = results.load("pogo_h200")
    models = r["rows"]
    return [f'`hooke bench pogo` on the decks of `examples/` at the paper\'s sizes; commit {r["commit"]}; {r["device_name"]}, copy {r["copy_gb_per_s"]:.0f} GB/s, and '
            f'{r["cpu_name"]}, copy {r["cpu_copy_gb_per_s"]:.0f} GB/s (part of a step stays in the last cache, so steps can exceed it). The paper\'s figures are for a '
            'GTX 580 with 192 GB/s. METIS was not installed on that machine.', "",
            *section("Blocks (Tables 1 and 2)", "Efficiency of blocks of 512 nodes after their arrangement, and the seconds for partition and arrangement together.", blocks()),
            *section("Steps (Tables 2 and 4)", "Steps are those of a run, with sources, receivers and damping. GB/s of `blocks` follow Appendix A with the actual number of "
                     "links. The last two columns are the time of a step times the number of steps of the model, and the paper's time of its run.", table(
                         [x for x in models if "seconds_per_step" in x and x["method"] != "blocks, bisection"], ("model", "case"), ("device", "device"), ("precision", "precision"),
                         ("method", "method"), ("GDOF/s", "gdof_per_s", ".1f"), ("GB/s", "gb_per_s", ".0f"), ("of copy", "share_of_copy", ".0f %"),
                         ("paper's GB/s", "paper_gb_per_s", ".0f"), ("steps", "steps"), ("steps x time of a step, s", "stepping_seconds", ".2f"),
                         ("paper's run, s", "paper_stepping_seconds", ".1f"))),
            *section("Discrepancy of traces (as in Figures 9, 11, 13)", "The largest difference, relative to the peak of the receiver, from the traces of `matrix-free` in double "
                     "precision on the same device, over the given number of steps.", table(
                         [x for x in models if x["table"] == "discrepancy"], ("model", "case"), ("method", "method"), ("precision", "precision"), ("steps", "steps"),
                         ("discrepancy", "discrepancy", ".1e")))]
