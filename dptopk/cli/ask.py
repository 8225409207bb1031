"""Commands that compute one table each, and `run`, which repeats the settings of a file."""

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import click
from click.shell_completion import CompletionItem

from dptopk.cli.data import (
    Reading,
    check_no_file,
    is_named,
    named,
    on_list,
    parts_of,
    read_as_saved,
    reading_with,
    sources_from,
)
from dptopk.cli.events import ITEMS, LOG_KEYS, LOG_OPTIONS, ON_NAMES, Log
from dptopk.cli.failures import Exit, Failure, failing, line, needing, say
from dptopk.cli.files import check_apart, content_of, write_file
from dptopk.cli.option_values import (
    QUESTIONNAIRE,
    completed,
    fitting,
    flag,
    parsed,
    parsed_list,
    unit,
    value_of,
)
from dptopk.cli.output import OPTIONS, Target, progress, write_answer
from dptopk.core.cancellation import part_of
from dptopk.core.numerals import plural, rounded_up
from dptopk.core.parameters import DELTA, EPSILON, MAX_ITEMS, Choice, Flag, Ladder, Several
from dptopk.core.privacy import NeighborRelation
from dptopk.data import ingest, sources
from dptopk.data.ingest import FORMATS
from dptopk.data.sources import NoDataError, Source
from dptopk.mechanisms import MECHANISMS, Mechanism, SetOrNothing, extensions
from dptopk.questions import COMMANDS, Question, settings
from dptopk.questions.answer import Answer, combine_answers
from dptopk.questions.asking import AskingError, checked, parameters_of, source_of, view_of
from dptopk.questions.view import View

READING = (
    click.Option(
        ["--events"],
        metavar="FILE",
        help="Instead of --data, a log with a row an event, of any size: as `dptopk counts` reads. "
        "It needs --user and --item.",
    ),
    *LOG_OPTIONS,
    ITEMS,
    click.Option(
        ["--item-column"], metavar="COLUMN", help="Column of the names: label, number or none."
    ),
    click.Option(["--counts"], metavar="COLUMN", help="Column of the counts; none counts rows."),
    click.Option(["--users"], metavar="COLUMN", help="Column that names the user of a row."),
    click.Option(["--sheet"], metavar="NAME", help="Sheet of a workbook."),
    click.Option(
        ["--answer", "answers"],
        multiple=True,
        metavar="KEY=VALUE",
        help="Where a file can be read in two ways: the answer, as the message says.",
    ),
    click.Option(
        ["--unit"],
        callback=unit,
        metavar="WORDS",
        help="What the counts are numbers of, in the plural, such as likes; left out, as the "
        "header says.",
    ),
)


WITH = click.Option(
    ["--with"],
    multiple=True,
    expose_value=False,  # it was read before this command was made, whose options depend on it
    metavar="FILE",
    help="Take the mechanisms and measures that this file of Python defines, too.",
)

_NEEDED = "epsilon_needed_high"  # column of what a target takes on the data
_NEEDED_ON_STAND_IN = "epsilon_needed_on_stand_in_high"  # and on public counts beside them
_LONG = 40  # characters of options beside which their words are too many


def question_command(name: str) -> click.Command:
    """Return the command of a name in `COMMANDS`."""
    question = COMMANDS[name]
    parameters = parameters_of(question)
    return click.Command(
        name,
        params=[
            click.Option(
                ["--data"],
                default=sources.DEFAULT,
                show_default=True,
                metavar="NAME|FILE",
                shell_complete=_data_begun,
                help=f"A name of `dptopk datasets`, or a file: {FORMATS}; - reads what is "
                "piped in.",
            ),
            *(
                parameter_option(parameters[key], lists=key in question.lists)
                for key in _options(question)
            ),
            *(QUESTIONNAIRE if "mechanisms" in question.common else ()),
            *READING,
            click.Option(
                ["--set", "others"],
                multiple=True,
                metavar="KEY=VALUE",
                help="Any other setting, by its key in a link of the app, such as d=500 or "
                "users=40000, which judges δ.",
            ),
            click.Option(["--save"], metavar="FILE", help="Save what is asked, for `dptopk run`."),
            *(
                click.Option([f"--{option}"], metavar="FILE", help=words)
                for option, words in question.files
            ),
            WITH,
            *OPTIONS,
        ],
        callback=partial(_ask, question),
        help=question.help.format(**_examples()),
    )


def _options(question: Question) -> tuple[str, ...]:
    return (*question.common, *question.settings)


def _examples() -> dict[str, str]:
    first, *_, delta = (it.card.key for it in MECHANISMS.values() if it.card.featured)
    of_sets = (it.card.key for it in MECHANISMS.values() if not it.outputs.ordered)
    stable = (it.card.key for it in MECHANISMS.values() if issubclass(it, SetOrNothing))
    return {"first": first, "delta": delta, "set": next(of_sets), "stable": next(stable)}


def _data_begun(_: Any, __: Any, begun: str) -> list[CompletionItem]:
    """Return completions for --data: names of data sets, and files."""
    names = [CompletionItem(name) for name in named() if name.startswith(begun)]
    return [*names, CompletionItem(begun, type="file")]


def smaller_k(d: int) -> int:
    """Return the number of items as k, and say so: it is below the default."""
    say(f"k = {d} is taken: the data have {plural(d, 'item')}, fewer than the default.")
    return d


def parameter_option(
    parameter: Any, *, lists: bool = False, ending: str | None = None
) -> click.Option:
    """Return the option of a setting, with the checks, the default and the words of a link.

    ``ending`` is said instead of the default.
    """
    default = parameter.text(parameter.default) or parameter.empty
    metavar, words = "VALUE", parameter.label
    if isinstance(parameter, Choice):
        metavar = "|".join(parameter.options)
        if len(metavar) <= _LONG:
            words += ": " + "; ".join(f"{key} is {text}" for key, text in parameter.options.items())
    elif isinstance(parameter, Several):
        metavar, words = "A,B,…|all", f"{words}: {', '.join(parameter.options)}"
    elif isinstance(parameter, Ladder):
        metavar, words = "NUMBER", f"{words}, such as 0.7, ln 3, 1/40000 or 2^-20"
    if lists:
        metavar, words = f"{metavar},…", f"{words}; several, with commas, are asked one by one"
    words += "" if words.endswith("?") else "."
    named_values = isinstance(parameter, Choice | Several)
    names = [flag(parameter.key), parameter.key]
    if isinstance(parameter, Flag):
        return click.Option(names, is_flag=True, default=None, help=f"{words}  [default: no]")
    return click.Option(
        names,
        callback=partial(parsed_list if lists else parsed, parameter),
        metavar=metavar,
        help=f"{words}  [{f'default: {default}' if ending is None else ending}]",
        shell_complete=partial(completed, parameter) if named_values else None,
    )


def _ask(
    question: Question,
    *,
    data: str,
    others: tuple[str, ...],
    save: str | None,
    format_: str | None,
    output: str | None,
    **options: Any,
) -> None:
    target = Target.of(format_, output)
    files = {name: options[name] for name, _ in question.files if options[name] is not None}
    reading = reading_of(options, of_data=_given("data"))
    from_file = reading.log is not None or not is_named(data)
    read = {"--data": data if from_file else None, "--events": options["events"]}
    read["--items"] = reading.listed
    written = {f"--{name}": file for name, file in files.items()}
    check_apart(read, {"--save": save} | written | {"--output": output})
    given = {key: options[key] for key in _options(question) if options[key] is not None}
    lists = {key: given.pop(key) for key in question.lists if key in given}
    for other in others:
        key, sign, text = other.partition("=")
        if not sign or key == "data":
            raise Failure(f"--set {other}: write KEY=VALUE; data have --data.")
        if key in _options(question) and options[key] is not None:
            raise Failure(f"--set {other}: {flag(key)} is given, too: leave one out.")
        parameter = parameters_of(question).get(key)
        with failing((TypeError, ValueError)):
            given[key] = text if parameter is None else value_of(parameter, text)
    if given.get(settings.STAND_IN) == settings.FILE_STAND_IN:
        raise Failure(
            f"--stand-in {settings.FILE_STAND_IN}: public counts can be uploaded in the app alone. "
            "Here ask of them with --data, and publish the private ones with the ε that is found."
        )
    if question.small and (reading.log or reading.listed or _given("data")):
        given |= _small_of_data(given)
    chosen = fitting(options)
    if chosen is not None:
        given["mechanisms"] = chosen
    if options.get("delta_allowed") == settings.FORBIDDEN and given.setdefault(DELTA.key, 0.0):
        raise Failure("--delta-allowed none leaves no δ: leave --delta out.")
    given["data"] = sources.UPLOAD if from_file else data
    varied = [key for key, each in lists.items() if len(each) > 1]
    if varied and save is not None:
        raise Failure("--save keeps one setting: give one k and one ε.")
    with failing(AskingError):
        every = [
            checked(question, given | dict(zip(lists, one, strict=True)))
            for one in product(*lists.values())
        ]
    _check_read(question, options, every[0])
    for key in {other.partition("=")[0]: None for other in others}:
        if key in _options(question):
            say(f"{key} was taken from --set; it has an option of its own, {flag(key)}.")
    found_in = [on_list(source, reading) for source in sources_from(data, every, reading)]
    d = min(source.counts.d for source in found_in)
    if not question.small and "k" not in {*given, *lists} and every[0]["k"] > d:
        given["k"] = smaller_k(d)
        every = [values | {"k": given["k"]} for values in every]
    parts = [part for values in every for part in _able(question, parts_of(values, found_in))]
    if save is not None:
        if len(parts) > 1:
            raise Failure(
                "--save keeps counts under one bound on the items of a user: choose mechanisms "
                "that need it, or such as need none."
            )
        from dptopk.questions.saved import saved_text

        write_file("--save", save, saved_text(question, *parts[0]).encode())
    left_out = {*_options(question)}.difference(given, lists)
    result = answer(question, parts, target, varied, files, left_out)
    if from_file and not varied and question.command in ("epsilon", "handover"):
        named = {**options, "data": None if reading.log is not None else data}
        _suggest(result, found_in[0], named, every[0])


def _check_read(question: Question, options: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Raise if an option is given that the answer does not read at these settings."""
    for key, (other, those) in {**settings.READ_AT, **question.read_at}.items():
        if options.get(key) is not None and other in values and values[other] not in those:
            at = f"{those.start} or more" if isinstance(those, range) else " or ".join(those)
            raise Failure(
                f"{flag(key)} is of {flag(other)} {at}: give that, or leave {flag(key)} out."
            )
    at, those = question.read_at.get("mechanisms", ("mechanisms", (values["mechanisms"],)))
    if "mechanisms" not in question.common or values[at] not in those:
        return
    read = {DELTA.key} if values.get(settings.RELEASES.key, 1) > 1 else set()
    for mechanism in map(MECHANISMS.__getitem__, values["mechanisms"]):
        if not question.sets or issubclass(mechanism, SetOrNothing):
            read |= {settings.NEIGHBORS.key, *(one.key for one in mechanism.card.parameters)}
    for key in (settings.NEIGHBORS.key, *settings.of_mechanisms()):
        if options.get(key) and key not in read:
            raise Failure(
                f"no chosen mechanism uses {flag(key)} here: choose one that does, or leave it out."
            )


def _able(
    question: Question, parts: Sequence[tuple[Mapping[str, Any], Source]]
) -> Sequence[tuple[Mapping[str, Any], Source]]:
    """Return the parts with a mechanism that can run, and say why others have none; or all."""
    able, refused = [], []
    for part in parts:
        try:
            view_of(question, *part)
            able.append(part)
        except AskingError as error:
            refused.append(str(error))
    for sentence in refused if able else ():
        say(sentence)
    return able or parts


def _suggest(
    result: Answer, source: Source, options: Mapping[str, Any], values: Mapping[str, Any]
) -> None:
    """Write the command that publishes what an answer chose, of the data as they were named.

    Of several releases it is the one of which all cost least.
    """
    mechanisms, frame = {one.label: one for one in result.origin.mechanisms}, result.frame
    chosen = next((one for one in mechanisms.values() if not one.why_not_exact), None)
    on_public = _NEEDED_ON_STAND_IN in frame
    column = _NEEDED_ON_STAND_IN if on_public else _NEEDED
    if column in frame:
        if not frame["mechanism"].is_unique:
            return  # an ε for each k or δ, of which none was chosen
        needed = zip(frame["mechanism"], frame[column].fillna(0.0), strict=True)
        at = [mechanisms[label].replaced(epsilon=rounded_up(e)) for label, e in needed if e > 0]
        chosen = _cheapest(at, values[settings.RELEASES.key], values[DELTA.key])
    if chosen is None:
        return
    words = ["dptopk", "publish", "--ledger", "budget.sqlite", "-k", f"{chosen.k}"]
    words += ["--mechanism", chosen.card.key, "--epsilon", EPSILON.text(chosen.epsilon)]
    for parameter in chosen.card.parameters:
        if parameter.key == DELTA.key or getattr(chosen, parameter.key) != parameter.default:
            words += [flag(parameter.key), f"{getattr(chosen, parameter.key)}"]
    for key in ("data", "events", *(str(option.name) for option in READING[1:])):
        given = options[key] if isinstance(options[key], tuple) else (options[key],)
        name = flag("answer" if key == "answers" else key)
        words += [part for one in given if one is not None for part in (name, one)]
    if chosen.guarantee.fixed_items and options["items"] is None:
        words += ["--items", "items.txt"]
    words += ["--several"] if source.protects else []
    made_up = options.get(settings.STAND_IN) == settings.ZIPF_STAND_IN  # of numbers of the data
    words += ["--tuned-public"] if on_public and not made_up else []
    joins = chosen.neighbors is NeighborRelation.ADD_REMOVE
    paid = "" if joins else f", from a ledger with --neighbors {chosen.neighbors.value}"
    command = shlex.join(words)
    if line(command) == command:
        say(f"A real release of it{paid}: {command}")
    else:  # such as a condition on a name with two spaces
        say(f"A real release of it{paid}: dptopk publish with these options, as they were typed.")
    if column in frame and not on_public:
        say(
            "This ε was computed from the data themselves, which no guarantee covers: "
            "--stand-in computes it on public counts of the same kind instead."
        )


def _cheapest(mechanisms: Sequence[Mechanism], releases: int, delta: float) -> Mechanism | None:
    """Return the mechanism whose releases cost least, of those that can be published.

    Names a cheaper one that cannot be, and why.
    """
    from dptopk.tuning import repeated

    ordered = sorted(
        mechanisms, key=lambda one: (repeated.joint_cost(one, releases, delta).epsilon, one.epsilon)
    )
    for mechanism in ordered:
        if not mechanism.why_not_exact:
            return mechanism
        say(f"{mechanism.label} costs less, but cannot be published: {mechanism.why_not_exact}")
    return None


def _run_saved(
    *, file: str, data: str | None, format_: str | None, output: str | None, **options: Any
) -> None:
    from dptopk.questions.saved import MAX_BYTES, read_saved

    target = Target.of(format_, output)
    given = data or options["events"]
    check_apart({"SETTINGS": file, "--data": given}, {"--output": output})
    with failing(AskingError, of=f"{file}: "):
        saved = read_saved(content_of(file, MAX_BYTES + 1, code=Exit.USAGE))
    reading = reading_with(reading_of(options, of_data=data is not None), saved)
    of_log = isinstance(saved.how, ingest.LogSettings)
    if saved.uploaded and given is None:
        raise Failure(
            f"{file}: its data were {'a log' if of_log else 'uploaded'} ({line(saved.title)}): "
            f"give the same file with {'--events' if of_log else '--data'} FILE.",
            Exit.DATA,
        )
    if not saved.uploaded and given is not None:
        raise Failure(f"{file} names its data, {line(saved.title)}: leave out --data.")
    with failing((NoDataError, AskingError), Exit.DATA, f"{file}: "):
        if given is None:
            check_no_file(reading)
            source = source_of(saved.values)
        elif reading.log is not None:
            source = sources_from("", [saved.values], reading)[-1]  # with the smallest bound
        else:
            source = read_as_saved(given, saved, reading, saved.values)
        source = on_list(source, reading)
        saved.check(source)
    answer(saved.question, [(saved.values, source)], target)


run_command = click.Command(
    "run",
    params=[
        click.Argument(["file"], metavar="SETTINGS"),
        click.Option(["--data"], metavar="FILE", help="The file that was uploaded."),
        *READING,
        WITH,
        *OPTIONS,
    ],
    callback=_run_saved,
    help="""Ask again what a file of settings says: the same numbers, to the last digit.

    The app saves such a file on its pages, and --save does. It never holds uploaded counts, but
    how their file was read: give the same file with --data; that it is the same is checked.

    \b
    dptopk compare -k 3 --runs 100 --save settings.json
    dptopk run settings.json
    """,
)


def reading_of(options: Mapping[str, Any], *, of_data: bool) -> Reading:
    """Return how a file is read, by `READING`; ``of_data`` says that there is one of --data."""
    keys = ("counts", "users", "sheet", "answers", "unit", *ON_NAMES)
    read = {key: options[key] for key in keys}
    reading = Reading(options["item_column"], listed=options["items"], **read)
    of_log = {key: options[key] for key in LOG_KEYS}
    if options["events"] is None:
        alone = (key for key in LOG_KEYS if key not in ON_NAMES)
        unused = next((key for key in alone if of_log[key] is not None), None)
        if unused is not None:
            raise Failure(f"--{unused} is of a log: name it with --events FILE.")
        return reading
    if of_data:
        raise Failure("--data and --events are both given: leave one out.")
    for key in ("item_column", "counts", "users", "sheet", "answers"):
        if options[key]:
            option = flag("answer" if key == "answers" else key)
            raise Failure(f"{option} is of --data: a log of --events has --user and --item.")
    return replace(reading, log=Log((options["events"],), items=options["items"], **of_log))


def _small_of_data(given: Mapping[str, Any]) -> dict[str, str]:
    """Return where the counts of a small case come from if data are named: from these data.

    Refuse counts that are typed as well.
    """
    small, vector = settings.SMALL, settings.VECTOR
    if given.get(small.key) == settings.SMALL_TYPED or vector.key in given:
        raise Failure(
            f"--{vector.key} is asked of typed counts: leave the data out, or take --small top."
        )
    if small.key not in given:
        n = given.get(settings.N_ITEMS.key, settings.N_ITEMS.default)
        say(f"--small top is taken: the largest counts of the data, at most {n} (--small-items).")
    return {small.key: given.get(small.key, settings.SMALL_TOP)}


def _given(option: str) -> bool:
    source = click.get_current_context().get_parameter_source(option)
    return source is not click.core.ParameterSource.DEFAULT


def answer(
    question: Question,
    parts: Sequence[tuple[Mapping[str, Any], Source]],
    target: Target,
    varied: Sequence[str] = (),
    files: Mapping[str, str] | None = None,
    left_out: Collection[str] = (),
) -> Answer:
    """Answer a question for all settings, each of a source; write and return the answer.

    ``varied`` are keys of settings that differ; ``files`` says where the files of the answer go, by
    name; ``left_out`` are keys of settings that nobody gave.
    """
    values, first = parts[0]
    with needing(), failing(ValueError, Exit.IMPOSSIBLE):  # what cannot be computed says why
        views = [view_of(question, *one) for one in parts]
        answers, n = [], len(views)
        with progress(question.asks) as tell:
            for done, (view, (one, _)) in enumerate(zip(views, parts, strict=True)):
                tell_part = part_of(tell, done / n, (done + 1) / n)
                answers.append(question.answer(view, one, tell_part))
        combined = _combined(answers, parts, varied)
        texts = {name: combined.files[name]() for name in files or {}}
    of_people = values["data"] in (sources.UPLOAD, sources.TYPED)
    for sentence in (*first.confirmation, *extensions.claims(values["mechanisms"])):
        say(sentence)
    for name, text in texts.items():
        write_file(f"--{name}", (files or {})[name], text.encode())
    read = dict.fromkeys(words for _, one in parts for words in (*one.notes, one.item_list))
    write_answer(combined, target, (*read,) if of_people else (), _judged(views, values), left_out)
    return combined


def _combined(
    answers: Sequence[Answer],
    parts: Sequence[tuple[Mapping[str, Any], Source]],
    varied: Sequence[str],
) -> Answer:
    """Combine answers at several settings, or of a log under several bounds, which it says."""
    kept = dict.fromkeys(source.max_items for _, source in parts)
    if not varied and len(kept) == 1:
        return answers[0]
    varied_rows = [{key: one[key] for key in varied} for one, _ in parts]
    if len(kept) == 1:
        return combine_answers(answers, varied_rows)
    rows = [
        row | {MAX_ITEMS.key: one.max_items}
        for row, (_, one) in zip(varied_rows, parts, strict=True)
    ]
    combined = combine_answers(answers, rows)
    words = (
        f"Rows with {MAX_ITEMS.key} are of counts with at most so many items of each user, as "
        "their promise needs; the others are of all events. Across them, numbers are of different "
        "data."
    )
    note = answers[0].origin.note.removesuffix(parts[0][1].of_cut)
    origin = replace(combined.origin, counts=None, note=f"{note} {words}".strip())
    return replace(combined, origin=origin, notes=(words, *combined.notes))


def _judged(views: Sequence[View], values: Mapping[str, Any]) -> str:
    from dptopk.accounting.delta_advice import NO_DELTA, advice, advice_of_units

    view = views[0]
    n_users = values[settings.USERS.key] or view.source.n_users
    if not any(m.card.takes(DELTA.key) for one in views for m in one.classes):
        return NO_DELTA if values[settings.USERS.key] else ""
    if view.protects:
        return advice_of_units(view.delta, sum(view.counts.counts.tolist()), view.protects).sentence
    if not n_users:
        return ""
    return advice(view.delta, n_users, int(view.counts.counts.max())).sentence
