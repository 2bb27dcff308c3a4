"""Texts that a page must show literally."""

LINKS = (
    "[**Sign in again**](http://evil.example)",
    "https://evil.example/a?b=c#d",
    "Go to www.evil.example now",
    "WWW.EVIL.EXAMPLE",
    "write to someone@evil.example",
    "mailto:someone@evil.example",
    "<https://evil.example>",
    "[a][b] [b]: http://evil.example",
    "**https://evil.example**",
    "ftp://evil.example",
)
PICTURES = (
    "![a](https://evil.example/a.png)",
    '<img src="https://evil.example/a.png">',
    ":streamlit:",
    ":material/home: :material_home:",
    ":smile: a:+1:b",
)
MARKS = (
    "# a heading",
    "a **bold** _word_ ~~gone~~",
    "$x^2$ and $$y$$ cost $5 or $6",
    ":red[red] :blue-background[x] :small[x]",
    "`code` ```block```",
    "<b>bold</b> &lt;b&gt; &amp;",
    "- a list",
    "1. a list",
    "> a quote",
    "a | b\\c \\* \\[",
    "a -> b <- c -- d <-> e >= f",
    "a --- b === c",
    "{color: red} $PATH {{x}}",
    "[ ] [x] [^1] ^sup^ ==mark==",
)
HOSTILE = (*LINKS, *PICTURES, *MARKS)
LINES = "first\n\n# second\r\n    third\n- fourth\n\n```\nfifth\n"
