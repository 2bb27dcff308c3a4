"""The part of HTML that is left in a notebook that is only viewed, or not trusted.

JupyterLab, GitHub and others allow some elements and attributes. This allows what all of them do; a
browser test compares it with JupyterLab itself.
"""

from html.parser import HTMLParser

ELEMENTS = """
    a b blockquote br caption cite code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img ins
    kbd li ol p pre s samp small span strong sub summary sup table tbody td tfoot th thead tr ul var
"""
KEPT = set(ELEMENTS.split())
# The content of these elements is removed too.
EMPTIED = {"script", "style", "title", "desc"}
VOID = {"br", "hr", "img"}
DRAWN = "data:image/svg+xml;base64,"


class Sanitised(HTMLParser):
    """HTML without styles, scripts and drawings.

    Attributes
    ----------
    text : str
        The remaining text.
    images : list of dict
        The attributes of images.
    lost : set of str
        The removed elements.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.images: list[dict[str, str | None]] = []
        self.lost: set[str] = set()
        self._inside: list[str] = []
        self.feed(html)
        assert not self._inside, self._inside

    def handle_starttag(self, tag, attributes):
        # CSS rules contain no readable text.
        if tag not in KEPT and tag != "style":
            self.lost.add(tag)
        if tag == "img":
            self.images.append(dict(attributes))
        elif tag not in VOID:
            self._inside.append(tag)

    def handle_endtag(self, tag):
        assert self._inside.pop() == tag
        if tag not in ("span", "b", "i", "strong", "small"):
            self.text += "\n"

    def handle_data(self, data):
        if not EMPTIED & {*self._inside}:
            self.text += data if "pre" in self._inside else " ".join(data.split("\n"))
