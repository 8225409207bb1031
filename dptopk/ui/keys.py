"""Keys of the session state of the app, each defined once.

Settings are kept under their own stable keys; see `address`.
"""

ADDRESS = "_address"  # the settings chosen, and what the address said; see `address`
VIEW = "_view"  # page and settings of the control line in this run, from the router to the page
ROUTING = "_routing"  # True if the router runs this script; not set if it was opened by itself
PRESENTATION = "_presentation"  # slides of the page while one is presented; see `presentation`
CHAPTERS = "_chapters"  # chapters that a presentation of the page goes through
COVER = "_cover"  # places for what is not hidden of a page; see `hidden_answer`
ANSWERED = "_answered"  # the page whose answer was last shown or hidden; see `hidden_answer`
DECKS_BEFORE = "_decks_before"  # the deck before each of its changes, the oldest first
DECK_REFUSED = "_deck_refused"  # why a change of the deck was refused, until it was said
TABS = "tabs"  # name of the open tab below the leading figure
AWAY = "_away"  # the last of these tabs, until it is filled
TAKE_AWAY = "take-away"  # True while the downloads and the code of a page are shown
FILES = "_files"  # downloads of the page that runs, drawn at its end; see `show.take_away`
SCREEN = "_screen"  # size of the screen as the browser reports it; see `presentation`
MAGNIFIED = "_magnified"  # factor by which figures are enlarged, as on a slide of a large screen
QUESTION = "_question"  # the question of the page that ran, as it is shown; see `show.Screen`
UNTITLED = "_untitled"  # first screen of the page that runs, until it has its title
SLIDE_TITLE = "_slide_title"  # title of the slide, in place of the question of its page
RESULTS = "_results"  # results of long work, oldest first; see `work`
STOPPED = "_stopped-{}"  # the run that was stopped, by the name of its place on a page
UPLOADED = "_uploaded"  # the counts that were uploaded, and the code that reads them; see `dialog`
FORMER = "_former"  # the data that the upload took the place of; see `session_uploads`
PENDING = "_pending"  # counts that were read and wait to be used, and the key they get then
NEWLY_UPLOADED = "_newly_uploaded"  # True until the page has said that an upload is shown
PUBLIC_FILE = "_public_file"  # public counts that were uploaded to stand beside them, likewise
LEDGER_COPY = "_ledger_copy"  # the copy of a ledger that is shown, with the key of its file
PUBLISHED = "_published"  # the published list and record that are read, with keys of their files
TIMED = "_timed"  # number of times that a measurement of times was asked for; see the page Papers
UPLOAD_DRAFT = "_upload_draft"  # the upload that is being looked at; see `dialog`
LOG_DRAFT = "_log_draft"  # the log of this machine that is being looked at; see `local_logs`
TYPED = "_typed-{}"  # text typed beside a scale, by the key of its setting; see `inputs.ladder`
GROUP = "_group-{}"  # mechanisms of a group that are chosen, by its name; see `mechanism_chooser`
TAUGHT = "_taught"  # the teacher's key of the class that was opened here; see `server.classroom`
JOINED = "_joined"  # the student's keys in the classes that were joined here, by code
CLASS_KEYS = "_{}_key"  # key that the browser held before this session, by role; see `class_keys`
DRAGGED_COUNTS = "dragged-counts"  # component that draws counts to drag; see `dragged_counts`
GUESSED = "_guessed"  # wrong codes of classes that were tried here
CLASS_SHOWN = "_class_shown"  # figure of its answers that was chosen, by the question
CLASS_SAID = "_class_said"  # what happened to a class, such as its end, until it was said
