"""The tables of Banaś, Płaszewski and Macioł."""
from . import results
from .table import by_order, lines, section

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


def together(rows):
    """Rates of each alone and of both at once, and what part of the sum the latter is."""
    rows = [x for x in rows if x["table"] == "together"]
    values_of = (("device alone, elements per ms", lambda x: number(x["device_elements_per_s"] / 1e3)),
              ("host alone, elements per ms", lambda x: number(x["host_elements_per_s"] / 1e3)),
             ("together, elements per ms", lambda x: number(x["elements_per_s"] / 1e3)),
             ("together, of the sum", lambda x: f'{100 * x["share_of_sum"]:.0f} %'),
             ("elements that the device took", lambda x: f'{100 * x["device_share"]:.0f} %'))
    return by_order("", [(f"{precision}: {words}", {x["order"]: own(x) for x in rows if x["precision"] == precision})
                         for precision in ("single", "double") for words, own in values_of])


def scaling(rows):
    """Times of an element by the number of elements."""
    rows = [x for x in rows if x["table"] == "scaling"]
    keys = dict.fromkeys((x["order"], x["method"]) for x in rows)
    found = {key: [x for x in rows if (x["order"], x["method"]) == key] for key in keys}
    return lines(["kernel (fetch), us", *("1/16", "1/4", "1", "4")],
                 [[f"p = {p}, {way}", *(f'{number(x["kernel_us"])} ({number(x["fetch_us"])})' for x in found[p, way])] for p, way in keys])


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
    h100 = results.load("integration_h100")
    where = f'{h100["device_name"]}, {h100["cpu_name"]}. Commit {h100["commit"]}.' + results.words(h100)
    out += section("Device and host together (section 6)", where + " At p = 1 the host's threads prepare launches and convert coordinates; both cannot reach the sum of "
                   "the rates.", together(h100["rows"]))
    out += section("Times by number of elements (section 5.4)", "Times of an element on the same machine, in double precision, by the number of elements, as parts of 1.5 GB of "
                   "matrices.", scaling(h100["rows"]))
    if results.there("integration_scaling"):
        later = results.load("integration_scaling")
        out += section(f'Times by number of elements, {later["device_name"]}', f'Commit {later["commit"]}. As above, in single precision.', scaling(later["rows"]))
    return out
