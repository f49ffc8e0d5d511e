"""Sphinx extension: formulas become MathML as pages are built, so that browsers need no script and no network."""
import re
import unicodedata

from docutils.nodes import SkipNode, Text
from latex2mathml.converter import convert
from sphinx.util import logging

log = logging.getLogger(__name__)

# Browsers show these letters of Unicode, and leave the attribute `mathvariant` unread.
ALPHABETS = {"bold-italic": "MATHEMATICAL BOLD ITALIC {}", "script": "MATHEMATICAL SCRIPT {}"}
CASES = {"LATIN SMALL LETTER ": "SMALL ", "LATIN CAPITAL LETTER ": "CAPITAL ", "GREEK SMALL LETTER ": "SMALL ",
         "GREEK CAPITAL LETTER ": "CAPITAL "}


def styled(match):
    variant, text = match[1], match[2]
    letter = chr(int(text[3:-1], 16)) if text.startswith("&#x") else text
    name = unicodedata.name(letter[0], "")
    for begin, case in CASES.items():
        if name.startswith(begin) and len(letter) == 1:
            short = case + name.removeprefix(begin)
            for wanted in (ALPHABETS[variant].format(short), f"SCRIPT {short}"):
                try:
                    return f"<mi>{unicodedata.lookup(wanted)}</mi>"
                except KeyError:
                    continue
    return match[0]


def mathml(node, display):
    text = node.astext().replace("{aligned}", "{split}")
    if "\\\\" in text and "\\begin" not in text:
        text = f"\\begin{{split}}{text}\\end{{split}}"
    try:
        result = convert(text, display=display)
    except Exception as error:  # the converter has exceptions of many kinds; each is a formula to mend
        log.warning("formula %r: %s: %s", text, type(error).__name__, error, location=node)
        return ""
    if "\\" in result or "<mi>&</mi>" in result:
        log.warning("formula %r: the converter does not know all of it", text, location=node)
    return re.sub(r'<mi mathvariant="(bold-italic|script)">([^<]+)</mi>', styled, result)


def visit_inline(self, node):
    self.body.append(mathml(node, "inline"))
    raise SkipNode


def visit_block(self, node):
    """A formula of its own; \\tag{W.1} in it is its number, beside it, and what a link #W.1 leads to."""
    tag = re.search(r"\\tag\{([^}]*)\}", node.astext())
    if tag:
        node = node.deepcopy()
        node.children = [Text(node.astext().replace(tag[0], ""))]
    self.body.append(self.starttag(node, "div", CLASS="equation"))
    self.body.append(mathml(node, "block"))
    if tag:
        self.body.append(f'<span class="eqno" id="{tag[1]}">({tag[1]})</span>')
    if node["number"]:
        self.body.append(f'<span class="eqno">({node["number"]})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
