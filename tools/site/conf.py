"""Sphinx's settings of the site; tools/make_site.py gives it the pages."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

project = "hooke"
author = "the authors of hooke"
extensions = ["myst_parser", "sphinx_design", "mathml"]
html_theme = "furo"
html_title = "hooke"
html_math_renderer = "mathml"
html_copy_source = False
html_show_copyright = False
html_static_path = [str(pathlib.Path(__file__).resolve().parent / "static")]
html_css_files = ["hooke.css"]
highlight_language = "none"
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
numfig = False
math_eqref_format = "({number})"
smartquotes = False
