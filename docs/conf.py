"""Settings of the documentation site; ``make docs`` builds it."""

import nip_core

project = "NIP Explorer"
copyright = "the NIP Explorer contributors"
version = release = nip_core.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "docs._ext.nip_site"]
exclude_patterns = ["_static"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
nitpicky = True

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
# Types are in the list of parameters, in words.
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
# Types are read as text: "str, ProtocolSpec or Specification".
napoleon_preprocess_types = False
toc_object_entries = False
python_maximum_signature_line_length = 88

html_theme = "furo"
html_math_renderer = "typed"
pygments_dark_style = "github-dark"
html_title = "NIP Explorer"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["fonts.css", "site.css"]
html_js_files = [("site.js", {"type": "module"})]
html_copy_source = False
html_scaled_image_link = False
html_show_sourcelink = False
html_show_sphinx = False
_LETTERS = {
    "font-stack": "Inter, system-ui, sans-serif",
    "font-stack--monospace": '"Plex Mono", ui-monospace, monospace',
    "font-stack--headings": "Newsreader, Georgia, serif",
}
html_theme_options = {
    "light_logo": "favicon.svg",
    "dark_logo": "favicon.svg",
    "sidebar_hide_name": False,
    "light_css_variables": {
        **_LETTERS,
        "color-brand-primary": "#1F4FA8",
        "color-brand-content": "#1F4FA8",
        "color-brand-visited": "#1F4FA8",
        "color-background-primary": "#FBFAF6",
        "color-background-secondary": "#F4F2EA",
    },
    "dark_css_variables": {
        **_LETTERS,
        "color-brand-primary": "#5CB5FF",
        "color-brand-content": "#5CB5FF",
        "color-brand-visited": "#5CB5FF",
        "color-background-primary": "#0E1117",
        "color-background-secondary": "#151A22",
    },
}
