"""The one error of reading data."""


class IngestError(ValueError):
    """Data could not be read; the message is one sentence saying what to do.

    The message may quote the data: show it as plain text, not as markup.
    """
