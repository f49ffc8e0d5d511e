"""The tables of Banaś, Płaszewski and Macioł."""
from . import results
from .table import by_order, section

PAPER_WAYS = ("REG_JAC", "REG_NOJAC", "SHM_JAC", "SHM_NOJAC")
BEFORE = ("prepare", "memory", "send")


def number(v):
    """Four digits, of larger ones all before the point."""
    return f"{v:.4g}" if abs(v) < 1e4 else f"{v:.0f}"


def sizes(rows):
    rows = [x for x in rows if x["table"] == "1, 2"]
    names = (("shapes", "N_sh"), ("points", "N_Q"), ("quadrature_entries", "entries of points and weights"), ("point_entries", "of phi at a point"),
             ("shape_entries", "of phi at all points"), ("blocks", "blocks of A"))
    return by_order("ours (the paper's)", [(words, {x["order"]: f'{x[key]} ({x[f"paper_{key}"]})' for x in rows}) for key, words in names])


def launches(rows):
    """What serves several ways stands in the rows of one of them."""
    names = (("parts", "REG_JAC", "parts, REG"), ("parts", "SHM_JAC", "parts, SHM"), ("blocks_per_thread", "SHM_JAC", "blocks per thread, SHM"),
             ("elements_per_launch", "REG_JAC", "elements per launch"), ("elements_per_group", "REG_JAC", "elements per group, REG"),
             ("elements_per_group", "SHM_JAC", "elements per group, SHM"), ("input_mb", "REG_JAC", "input, JAC, MB"),
             ("input_mb", "REG_NOJAC", "input, NOJAC, MB"), ("output_mb", "REG_JAC", "output, MB"))
    return by_order("ours (the paper's)", [
        (f'{device}: {words}', {x["order"]: f'{number(x[key])} ({number(x[f"paper_{key}"])})' for x in rows if (x["device"], x["method"]) == (device, way)})
        for device in dict.fromkeys(x["device"] for x in rows if x["table"] in ("3", "4")) for key, way, words in names])


def values(rows, own, paper, xeon):
    """(words, {p: text}) of the paper's processors, then of ours. own(row), paper(row, prefix), xeon(row): numbers."""
    papers = {(x["method"], x["order"]): x for x in rows if "gtx580_kernel_us" in x}
    out = [("the paper's Xeon E5-2670, double", {x["order"]: number(xeon(x)) for x in rows if "xeon_us" in x})] if xeon else []
    out += [(f"the paper's {prefix.upper()}, {way}, single", {p: number(paper(x, prefix)) for (method, p), x in papers.items() if method == way})
            for prefix in ("gtx580", "hd5870") for way in PAPER_WAYS]
    for key in dict.fromkeys((x["device"], x["precision"], x["method"]) for x in rows):
        device, precision, way = key
        out.append((f"{device}, {way}, {precision}", {x["order"]: number(own(x)) for x in rows if (x["device"], x["precision"], x["method"]) == key}))
    return out


def times(rows):
    """Tables 5 to 7, as Figures 2 and 3 divide them."""
    rows = [x for x in rows if x["table"] == "5, 6, 7"]

    def sums(*stages):
        return lambda x: sum(x[f"{s}_us"] for s in stages), lambda x, prefix: sum(x[f"{prefix}_{s}_us"] for s in stages)
    return [by_order(title, values(rows, *how)) for title, *how in (
        ("kernel, us", *sums("kernel"), lambda x: x["xeon_us"]), ("before it (prepare, memory, send), us", *sums(*BEFORE), None),
        ("after it (fetch), us", *sums("fetch"), None), ("all, us", *sums(*BEFORE, "kernel", "fetch"), lambda x: x["xeon_us"]),
        ("MFLOP performed", lambda x: x["performed_mflop"], lambda x, prefix: x[f"{prefix}_mflop"], lambda x: x["xeon_mflop"]),
        ("GFLOP/s, useful", lambda x: x["useful_gflop_per_s"], lambda x, prefix: x["useful_mflop"] / x[f"{prefix}_kernel_us"] * 1e3,
         lambda x: x["useful_mflop"] / x["xeon_us"] * 1e3),
        ("GFLOP/s, performed", lambda x: x["performed_gflop_per_s"], lambda x, prefix: x[f"{prefix}_gflop_per_s"], lambda x: x["xeon_gflop_per_s"]))]


def page():
    tables = results.load("integration_h200")["rows"]
    out = ["`hooke bench integration`. Times are per element. Useful rates count 63 N_Q N_sh^2 operations, also for the paper, from the times of its kernels; performed rates "
           "count all operations of the threads, including idle threads and repeated Jacobians. The paper used a GTX580 and an HD5870 in single precision, and eight cores of a "
           "Xeon E5-2670 in double.", "",
           *section("Sizes (Tables 1 and 2)", "", sizes(tables)),
           *section("Launches (Tables 3 and 4)", "Launch parameters with the limits of the paper's devices. Parts and blocks per thread are the paper's; elements per group at p = 3 "
                    "and 4, and the sizes of the input, differ.", launches(tables))]
    for name in ("integration_h200", "integration_cpu", "integration_pocl"):
        r = results.load(name)
        out += section(f'Times and rates (Tables 5 to 7), {r["device_name"]}', f'Commit {r["commit"]}.' + results.words(r), *times(r["rows"]))
    return out
