"""Keys of the session state of the app, each defined once.

Settings are kept under their own stable keys; see `address`.
"""

ADDRESS = "_address"
"""The settings chosen, and what the address said; see `address`."""

VIEW = "_view"
"""Settings chosen in the control line in this run, passed from the router to the page."""

ROUTING = "_routing"
"""True if the router runs this script; not set if the page was opened by itself."""

PRESENTATION = "_presentation"
"""Slides of the page while one of them is presented; see `presentation`."""

CHAPTERS = "_chapters"
"""Chapters of the page that ran, which a presentation goes through; see `show.chapters`."""

COVER = "_cover"
"""Container for the question and controls of a page whose answer is hidden; see `hidden_answer`."""

ANSWERED = "_answered"
"""The page whose answer was last shown or hidden; see `hidden_answer`."""

DECKS_BEFORE = "_decks_before"
"""The deck before each of its changes, the oldest first; see `deck_editor`."""

DECK_REFUSED = "_deck_refused"
"""Reason why a change of the deck was refused, until the page has said it; see `deck_editor`."""

TAKE_AWAY = "take-away"
"""True while the downloads and the code of a page are shown; see `show.take_away`."""

FILES = "_files"
"""Downloads of the page that runs, which are drawn at its end; see `show.take_away`."""

SCREEN = "_screen"
"""Size of the screen as the browser reports it; see `presentation`."""

MAGNIFIED = "_magnified"
"""Factor by which figures of the page are enlarged, as a slide on a large screen."""

QUESTION = "_question"
"""The question of the page that ran, as it is shown; see `show.heading`."""

UNTITLED = "_untitled"
"""First screen of the page that runs, until it has its title; see `show.entitle`."""

SLIDE_TITLE = "_slide_title"
"""Title of the slide, in place of the question of its page; see `presentation`."""

RESULTS = "_results"
"""Results of long work, oldest first; see `work`."""

STOPPED = "_stopped-{}"
"""The run that was stopped, by the name of its place on a page."""

UPLOADED = "_uploaded"
"""The counts that were uploaded, and the code that reads them; see `dialog`."""

FORMER = "_former"
"""The data that the upload took the place of; see `session_uploads`."""

PENDING = "_pending"
"""Counts that were read and wait to be used, and the key they get then; see `session_uploads`."""

NEWLY_UPLOADED = "_newly_uploaded"
"""True until the page has said that an upload is shown."""

PUBLIC_FILE = "_public_file"
"""Public counts that were uploaded to stand beside them, likewise."""

LEDGER_COPY = "_ledger_copy"
"""The copy of a ledger that is shown, with the key of its file; see `sections.ledger_copy`."""

PUBLISHED = "_published"
"""The published list and record that are read, with the keys of their files."""

TIMED = "_timed"
"""Number of times that a measurement of times was asked for; see the page Papers."""

UPLOAD_DRAFT = "_upload_draft"
"""The upload that is being looked at; see `dialog`."""

LOG_DRAFT = "_log_draft"
"""The log of this machine that is being looked at; see `local_logs`."""

TYPED = "_typed-{}"
"""Text typed beside a scale, by the key of its setting; see `inputs.ladder`."""

GROUP = "_group-{}"
"""Mechanisms of a group that are chosen, by the name of the group; see `mechanism_chooser`."""

TAUGHT = "_taught"
"""The teacher's key of the class that was opened here; see `server.classroom`."""

JOINED = "_joined"
"""The student's keys in the classes that were joined here, by code; see `server.classroom`."""

CLASS_KEYS = "_{}_key"
"""The student's or teacher's key that the browser held before this session; see `class_keys`."""

DRAGGED_COUNTS = "dragged-counts"
"""Component that draws counts to drag; see `dragged_counts`."""

GUESSED = "_guessed"
"""Wrong codes of classes that were tried here."""

CLASS_SAID = "_class_said"
"""Sentence on a class that was closed, or refused, until the page has said it."""
