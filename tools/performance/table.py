"""Markdown tables of rows. A table without rows, and a section without tables, is an empty list: no page shows it."""


def text(value, form=""):
    """A value of a cell: with `form` of str.format, or as per cent with digits (".1f %"); nothing for None."""
    if value is None:
        return ""
    if form.endswith(" %"):
        return f"{100 * value:{form[:-2]}} %"
    return f"{value:{form}}"


def lines(titles, cells):
    """A table; columns without any text are left out."""
    keep = [k for k in range(len(titles)) if any(line[k] for line in cells)]
    rows = [[line[k] for k in keep] for line in [titles, *cells]]
    if not cells:
        return []
    return ["| " + " | ".join(row) + " |" for row in [rows[0], ["---"] * len(keep), *rows[1:]]]


def table(rows, *columns):
    """A line per row. A column is (title, key or function of the row[, form]). Rows of several commits name theirs."""
    rows = list(rows)
    if len({r.get("commit") for r in rows}) > 1:
        columns += (("commit", "commit"),)

    def cell(row, what, form=""):
        return text(what(row) if callable(what) else row.get(what), form)
    return lines([c[0] for c in columns], [[cell(r, *c[1:]) for c in columns] for r in rows])


def by_order(title, rows):
    """Orders across: rows of (words, {p: text})."""
    orders = sorted({p for _, cells in rows for p in cells})
    return lines([title, *(f"p = {p}" for p in orders)], [[words, *(cells.get(p, "") for p in orders)] for words, cells in rows if cells])


def section(title, words, *tables):
    """A heading, a paragraph and its tables, if there are rows."""
    body = [line for t in tables if t for line in (*t, "")]
    return [f"## {title}", "", *([words, ""] if words else []), *body] if body else []


def scaled(key, factor):
    """A column's function: the value in another unit."""
    return lambda r: factor * r[key] if key in r else None
