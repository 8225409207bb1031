"""Command `dptopk publish`: draw one exact release and charge it to a ledger."""

import shlex
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from dptopk.cli.ask import READING, reading_of
from dptopk.cli.data import Reading, is_named, on_list, read_as_saved, reading_with, sources_from
from dptopk.cli.events import public_list
from dptopk.cli.failures import Exit, Failure, discard_stream, failing, line, say
from dptopk.cli.files import check_apart, content_of
from dptopk.cli.ledger import (
    AUTHOR,
    PURPOSE,
    QUESTION,
    ledger_failures,
    mechanism_of,
    mechanism_options,
    values_from,
)
from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import plural
from dptopk.core.parameters import EPSILON
from dptopk.data.ingest import (
    GUESSED,
    Contribution,
    LogSettings,
    PublicList,
    doubt_about,
    on_public_list,
)
from dptopk.data.sources import NAMES_STAND, Source
from dptopk.mechanisms import MECHANISMS, Mechanism, ReadsTheTop
from dptopk.publishing.ledger import (
    Ledger,
    OverspentError,
    left_words,
    price_note,
    price_words,
    rule_words,
)
from dptopk.publishing.publication import (
    Publication,
    check_place,
    checked_counts,
    files_of,
    publish,
)
from dptopk.publishing.registry_record import noise_words
from dptopk.questions import settings
from dptopk.questions.asking import AskingError
from dptopk.questions.saved import MAX_BYTES as MAX_SETTINGS, Saved, read_saved

_NEEDED = "required without --settings"


def _publish(
    *,
    ledger: str,
    data: str | None,
    saved: str | None,
    output: str | None,
    yes: bool,
    counts_are_right: bool,
    several: bool,
    tuned_public: bool,
    purpose: str,
    author: str,
    **options: Any,
) -> None:
    items_file = options["items"]
    read = {"--settings": saved, "--items": items_file, "--data": data or options["events"]}
    check_apart({"--ledger": ledger} | read)
    with ledger_failures():
        budget = Ledger.open(ledger)
    settings_file = None if saved is None else _saved(saved, options)
    values = _typed(options, budget) if settings_file is None else settings_file.values
    mechanism = mechanism_of(values)
    source = _source(data, values, options, settings_file)
    if source.undecided:
        raise Failure(source.undecided, Exit.DATA)
    if guess := next((note for note in source.notes if note.startswith(GUESSED)), ""):
        raise Failure(
            f"{line(source.title)}: {guess.rpartition(':')[0]}, which one more row may change, "
            "beyond what any promise covers: save the file as UTF-8.",
            Exit.DATA,
        )
    _check_contributions(source, mechanism, several)
    items = None if items_file is None else public_list(items_file)
    if items is None and mechanism.guarantee.fixed_items:
        raise Failure(
            f"{mechanism.label} needs a list of all possible items that was fixed without looking "
            "at the data: give it with --items FILE, one item a line. The items found in the data "
            "are no such list: a user who brings a new item would change what can come out at all.",
            Exit.DATA,
        )
    how = source.how
    twins = how.twins if isinstance(how, LogSettings) else how and how.answers.get("twins")
    if items is None and twins == "merge":
        raise Failure(
            "--twins merge gives merged items a name that may be of one user only, whom no promise "
            "for items found in the data covers: leave it out, or give a list with --items FILE.",
            Exit.DATA,
        )
    with failing(ValueError, Exit.DATA):
        drawn_of = checked_counts(source.counts, mechanism, items)
        listed = None if items is None else on_public_list(source.counts, items)
    doubt = doubt_about(drawn_of, source.n_users, source.of_users)
    place = output or f"top-{mechanism.k}-of-{_stem(data, source)}.csv"
    _check_place(place, drawn_of, mechanism)
    with ledger_failures():
        if refusal := budget.refusal(mechanism):
            raise Failure(f"{refusal}.", Exit.LEDGER)
        _tell(source, mechanism, budget, listed, doubt)
        before = sum(one.counts == budget.fingerprint(drawn_of) for one in budget.entries)
    if before:
        say(
            f"Note: the ledger already has {plural(before, 'release')} of these same counts. This "
            "is another one, at its full cost."
        )
    say(f"Will be written: {place}, and its record, {files_of(place)[1].name}.")
    if doubt and not counts_are_right:
        say(f"{doubt[0].upper()}{doubt[1:]}.")
        _confirm("Are these the counts that are meant?", "--counts-are-right")
    if not yes:
        _confirm("Publish? It is drawn once and paid for, whatever comes out.", "--yes")
    n_entries = len(budget.entries)
    try:
        with ledger_failures():
            published = publish(
                source.counts,
                mechanism,
                budget,
                items=items,
                title=source.title,
                unit=source.unit,
                contribution=source.contribution,
                public=tuned_public or bool(settings_file and values[settings.TUNED_PUBLIC.key]),
                purpose=purpose,
                author=author,
                counts_are_right=True,  # or it was asked above
            )
    except BaseException as error:
        refused = isinstance(error.__cause__, OverspentError)  # what was entered is another's
        if not refused and len(budget.entries) > n_entries:
            say("Nothing was shown, but the release was entered: what it costs is spent.")
        raise
    _deliver(published, place, budget)


def _saved(file: str, options: Mapping[str, Any]) -> Saved:
    """Read a file of settings that are of one mechanism; none may be typed beside it."""
    typed = [option.opts[0] for option in _MECHANISM if options[str(option.name)] is not None]
    if typed:
        raise Failure(f"{typed[0]} is in the file of --settings: give one of them.")
    with failing(AskingError, of=f"{file}: "):
        saved = read_saved(content_of(file, MAX_SETTINGS + 1))
    if saved.question is not QUESTION:
        raise Failure(
            f"{file} was saved on another page: settings of a release are saved on Publish."
        )
    return saved


def _typed(options: Mapping[str, Any], ledger: Ledger) -> dict[str, Any]:
    """Return all settings; those that decide on privacy must be given explicitly."""
    values = values_from(options, ledger)
    for key, option in (("k", "-k"), (EPSILON.key, "--epsilon")):
        if options[key] is None:
            raise Failure(f"a release has no default here: give {option}.")
    return values


def _source(
    data: str | None, values: Mapping[str, Any], options: Mapping[str, Any], saved: Saved | None
) -> Source:
    """Load the data, of a name or a file, or as the settings name them; say if these had others."""
    reading = reading_with(reading_of(options, of_data=data is not None), saved)
    of_log = saved is not None and isinstance(saved.how, LogSettings)
    if data is None and reading.log is None and (saved is None or saved.uploaded):
        of = "" if saved is None else f" The settings are of {line(saved.title)}."
        raise Failure(
            f"name the {'log with --events' if of_log else 'counts with --data'} FILE.{of}"
        )

    def load(reading: Reading) -> Source:
        if data is not None and not is_named(data):
            return read_as_saved(data, saved, reading, values)
        return sources_from(data or values["data"], [values], reading)[0]

    source = load(reading)
    if saved is not None and saved.sha256:
        digests = set()
        log = reading.log and replace(reading.log, items=None)
        as_saved = reading if saved.listed else replace(reading, log=log, listed=None)
        with suppress(Failure):  # which other data may raise
            again = load(as_saved) if source.items_listed and not saved.listed else source
            digests = _digests(on_list(again, as_saved).counts, of_log)
        if saved.sha256 not in digests:
            of = line(saved.title)
            say(f"These are not the counts that the settings were saved with ({of}).")
    return source


def _digests(counts: ItemCounts, of_log: bool) -> set[str]:
    """Return the digests of counts, as they are and as a log without a list has them, by name."""
    counted = dict(sorted((name, count) for name, count in counts if count)) if of_log else {}
    by_name = [ItemCounts([*counted.values()], [*counted])] if counted else []
    return {one.digest for one in (counts, *by_name)}


def _check_contributions(source: Source, mechanism: Mechanism, several: bool) -> None:
    if source.contribution is Contribution.SEVERAL and not several:
        raise Failure(
            f"one user may count more than once for an item here, and the promise would be for one "
            f"{source.protects} only: count the distinct users (--users COLUMN), or add --several "
            f"if it is one {source.protects} that the ledger protects.",
            Exit.DATA,
        )
    if against := source.against_bound(mechanism.guarantee.max_items):
        raise Failure(f"{mechanism.label}: {against}.", Exit.DATA)


def _stem(data: str | None, source: Source) -> str:
    words = Path(data).stem if data not in (None, "-") else source.title
    kept = "".join(sign if sign.isalnum() else "-" for sign in str(words).casefold())
    return "-".join(filter(None, kept.split("-")))[:60] or "counts"


def _tell(
    source: Source, mechanism: Mechanism, ledger: Ledger, listed: PublicList | None, doubt: str
) -> None:
    for note in (*source.confirmation, *(() if source.bundled else source.notes)):
        # not true counts, beside the list that protects them, nor what is asked below
        if note != source.largest and not (doubt and doubt in note):
            say(note)
    order = "in order" if mechanism.outputs.ordered else "as a set"
    upto = "up to " if mechanism.outputs.short else ""
    counts = ", each with a noisy count" if mechanism.outputs.counted else ""
    items = f"{upto}{plural(mechanism.k, 'item')}"
    say(f"Release: {items} of {source.title}, {order}{counts}, by {mechanism.label}.")
    say(
        f"Noise: {noise_words(mechanism, source.unit, None if listed is None else listed.counts.d)}"
    )
    if isinstance(mechanism, ReadsTheTop):
        automatic = " (twice k, as nothing else is set)" if mechanism.k_bar is None else ""
        say(f"Items read: those of the {mechanism.n_read:,} largest counts{automatic}.")
    say(f"Guarantee: {mechanism.guarantee.statement_on(source.protects)}")
    say(f"The ledger protects: {ledger.protects}.")
    bound = source.rests_on_bound(mechanism.guarantee.max_items)
    words = f"Items: those found in the data, which the guarantee covers. {NAMES_STAND}"
    if listed is not None:  # of a log it was said before, as what was done to its events
        words = "" if source.items_listed else listed.words
    for sentence in filter(None, (words, bound, source.contribution.caveat(source.unit))):
        say(sentence)
    price = ledger.price(mechanism)
    assert price is not None  # it was not refused
    after = ledger.plan(mechanism, 1)[0].left
    say(f"Cost: {price_words(price)}. After it {left_words(after, ledger.filter)}.")
    for sentence in filter(None, (price_note(mechanism, price), rule_words(ledger.filter))):
        say(sentence)


def _confirm(question: str, option: str) -> None:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Failure(
            f"nothing was published and nothing spent: without a terminal to ask on, add {option}."
        )
    agreed = False
    try:
        agreed = click.confirm(question, err=True)
    except click.Abort:  # Ctrl-C, behind the question
        say("")
    if not agreed:
        raise Failure("nothing was published and nothing spent.", Exit.INTERRUPTED)


def _check_place(place: str, counts: ItemCounts, mechanism: Mechanism) -> None:
    """Raise unless the list and its record can be written, before anything is spent."""
    nothing = "nothing was published and nothing spent"
    if place == "-":
        raise Failure(
            "--output -: the list is shown on standard output in any case, and a release is kept "
            "in a file: name one, or leave --output out."
        )
    if Path(place).suffix.lower() not in ("", ".csv"):
        raise Failure(
            f"--output {place}: the list is written as CSV: name a file that ends in .csv."
        )
    try:
        for file in files_of(place):
            if not file.parent.is_dir():
                raise Failure(f"--output {place}: there is no such folder.", Exit.OUTPUT)
            if file.exists() and not file.is_file():
                raise Failure(
                    f"--output {place}: that is no file in which a release can be kept; {nothing}.",
                    Exit.OUTPUT,
                )
            if file.exists():
                raise Failure(
                    f"{file.name} is there already, and a release is never written over another: "
                    "name another file with --output, for another release that is paid for too.",
                    Exit.OUTPUT,
                )
        check_place(place, counts, mechanism)
    except OSError as error:
        raise Failure(
            f"{place} cannot be written ({error.strerror}): {nothing}. Name another place with "
            "--output.",
            Exit.OUTPUT,
        ) from error


def _deliver(published: Publication, place: str, ledger: Ledger) -> None:
    """Write list and record, and show the list; where that fails, it is kept elsewhere.

    What is paid is never lost for a file: it goes beside the ledger, which could be written, and
    at least to standard output.
    """
    number, failed = published.entry.number, ""
    files: tuple[Path, ...] = ()
    fallback = ledger.path.with_name(f"{ledger.path.stem}-release-{number}.csv")
    for path in (place, fallback):
        try:
            files = published.write(path)
            break
        except (OSError, KeyboardInterrupt) as error:
            why = getattr(error, "strerror", None) or "interrupted"
            failed = failed or f"{place} cannot be written ({why})"
    for file in files:
        say(f"{shlex.quote(str(file))} was written.")
    with ledger_failures():
        say(f"Release {number} of the ledger; {left_words(ledger.left, ledger.filter)}.")
    if published.shortfall:
        say(f"{published.shortfall} That is the release, and it is paid; the record says so too.")
    try:
        click.echo(_shown(published) if files else f"{published.csv}{published.record}", nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_stream(sys.stdout)
        failed = failed or f"standard output cannot be written ({error.strerror})"
    if failed:
        where = f"in {shlex.quote(str(files[0]))}" if files else "on standard output: keep it"
        raise Failure(
            f"{failed}. The release is drawn and paid, and the list is {where}. Do not run the "
            "command again for it: that would be another release.",
            Exit.OUTPUT,
        )


def _shown(published: Publication) -> str:
    lines = []
    for number, name in enumerate(published.items):
        place = f"{number + 1:>4}  " if published.mechanism.outputs.ordered else ""
        count = f"  {published.counts[number]:,}" if published.counts else ""
        lines.append(f"{place}{line(name)}{count}\n")
    return "".join(lines)


_MECHANISM = mechanism_options(k=_NEEDED, epsilon=_NEEDED)
_IT = next(iter(MECHANISMS.values())).card.key
publish_command = click.Command(
    "publish",
    params=[
        click.Option(
            ["--ledger"], required=True, metavar="FILE", help="Ledger that pays for the release."
        ),
        click.Option(["--data"], metavar="NAME|FILE", help="Counts, as for other commands."),
        *_MECHANISM,
        click.Option(
            ["--settings", "saved"],
            metavar="FILE",
            help="Instead of -k, --mechanism, --epsilon and so on: settings saved on Publish.",
        ),
        *READING,
        click.Option(
            ["--several"],
            is_flag=True,
            help="Guarantee privacy of one unit of a count only, where a user may count several "
            "times.",
        ),
        click.Option(
            ["--tuned-public"],
            is_flag=True,
            help="The settings were chosen on public data; the record says so.",
        ),
        click.Option(
            ["--output", "-o"],
            metavar="FILE",
            help="CSV file for the list, with its record beside it; left out, a file named after "
            "the data.",
        ),
        PURPOSE,
        AUTHOR,
        click.Option(
            ["--counts-are-right"],
            is_flag=True,
            help="Publish also where counts are all equal or at most 1, items more than users, or "
            "users dates or times, as in data that were read wrongly.",
        ),
        click.Option(["--yes"], is_flag=True, help="Publish without asking for confirmation."),
    ],
    callback=_publish,
    help=f"""Publish the top k for real: paid for from a ledger, then drawn once, exactly.

    It states the guarantee and its cost, asks once, enters the release in the ledger, and only then
    draws it, from random bits of the operating system. The list is written as CSV, and beside it a
    record for a registry of releases. Running the command again is another release.

    \b
    dptopk publish -k 5 --mechanism {_IT} --epsilon 1 --data c.csv --items all.txt --ledger b.sqlite
    dptopk publish --settings settings.json --data c.csv --items all.txt --ledger b.sqlite

    c.csv has the counts and all.txt all possible items, one a line; b.sqlite is a ledger made by
    `dptopk ledger create`. Settings are saved on the page Publish of the app and by
    `dptopk handover --save`.
    """,
)
