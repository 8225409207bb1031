"""Read files, tables and typed text into `ItemCounts`.

The way of an upload: `read_table` looks at the bytes of a file and guesses which columns hold
items, counts and users; a person confirms or corrects the guess; `to_item_counts` reads them.
`parse_typed` reads a text box, whose repeated names `with_names_apart` tells apart.  All return
the counts with a report of what was read and what was changed, in plain sentences.  Every problem
is an `IngestError`: one sentence that says what is wrong, where, and how to mend it.  Where two
readings are possible nothing is guessed: an `UnclearError` carries the `Ambiguity`.  `unit_of`
guesses what the counts are numbers of.

Messages, reports, labels and previews may quote the data: show them as plain text.

Limits: at most 64 MB, also unpacked, 2,000,000 rows and 200 columns; delimited text, Parquet and
Excel workbooks (.xlsx, at most 24 MB unpacked) only.

The names in ``__init__.pyi`` can be imported from here; their modules load when they are used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
