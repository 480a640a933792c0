"""How the site is built: `scripts/site`."""

from typing import Any

from sphinx.application import Sphinx

import synthrelease

project = "synthrelease"
version = release = synthrelease.__version__

# Pages stand where they stand in the repository, so that their links lead to the same places here and there.
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "docs/*.md",
    "docs/**/*.md",
    "docs/notebooks/*.ipynb",
    "synthrelease/**/*.proof.md",
]
exclude_patterns = [".*", "build", "dist", "site", "tests", "scripts", "paper.md"]

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "sphinx_copybutton",
]
myst_heading_anchors = 4
nb_execution_mode = "off"  # what cells show is in the notebooks: scripts/make_notebooks.py
suppress_warnings = ["myst.header"]  # a page may begin with whatever heading it likes, deeper ones follow

default_role = "code"  # docstrings have `names` as Markdown has them
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}  # its own definition is half a page
python_maximum_signature_line_length = 100
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False

html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme = "furo"
html_title = "synthrelease"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
smartquotes = False  # what is quoted is often typed
html_extra_path = ["site"]
copybutton_prompt_text = r"\$ |curator> "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True


def setup(app: Sphinx) -> None:
    """Write an alias of a type as it is called; where it stands in a union Sphinx shows its own placeholder."""
    app.connect("autodoc-process-signature", _with_aliases)
    app.connect("sphinx-click-process-arguments", _without_arguments)
    app.connect("sphinx-click-process-description", _without_columns)


def _with_aliases(*told: Any) -> tuple[str | None, str | None]:
    signature, returned = (
        text and text.replace("TypeAliasForwardRef('ArrayLike')", "ArrayLike") for text in told[-2:]
    )
    return signature, returned


def _without_arguments(_app: Sphinx, _ctx: Any, lines: list[str]) -> None:
    """The line of usage names them; that they are required is all that could be said below."""
    lines.clear()


def _without_columns(_app: Sphinx, ctx: Any, lines: list[str]) -> None:
    """What stands in columns on a terminal would run together; the page has it as a table."""
    if ctx.command.name == "completion":
        del lines[1:]
