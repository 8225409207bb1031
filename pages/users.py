"""Page Users: how many items each user counts for, what is found unlisted, a list each period."""

from functools import partial

from dptopk.questions import settings, users as question
from dptopk.ui import results, show
from dptopk.ui.controls import inputs
from dptopk.ui.formats import plain, plural
from dptopk.ui.layout import shell
from dptopk.ui.sections import users

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    part, log = inputs.choice(controls, settings.PART), users.log_of(view)
    period = log.period or settings.PERIOD.default
    if part == settings.OF_SERIES and (log.synthetic or not log.period):
        period = inputs.choice(controls, settings.PERIOD)
    asks, read = users.QUESTIONS[part]
    if log.synthetic:
        read = f"{users.EXAMPLE} {read}"
    elif most := view.source.max_items:
        read += f" The file, here uncut, was read with at most {plural(most, 'item')} per user."
    screen.ask_first(asks.format(period=period), read)
    source, view = view.source, users.view_of(view, log)
    try:
        find = partial(question.bounds, view, log.by_bound, results.IN_TURNS)
        errors = results.shown("users", view, (), find)
    except ValueError as error:
        show.note(plain(str(error), 300))
        show.done()
    if errors is None:
        show.done()
    bound, offered = None, sorted({int(one) for one in errors.frame["max_items"].dropna()})
    if offered and part == settings.OF_USERS:
        best = question.best_chosen(errors, view.keys)["max_items"]
        is_bound = best in offered  # else no bound is best, as the last one removes nothing
        most = int(best) if is_bound else offered[-1]
        bound = inputs.one_of(controls, settings.ITEMS_PER_USER, offered, most, marked=is_bound)
        users.offer_bound(controls, source, bound)
if part == settings.OF_UNLISTED:
    users.unlisted(screen, view, log, errors)
elif part == settings.OF_SERIES:
    users.series(screen, view, log, errors, period)
else:
    users.bounds(screen, view, log, errors, period, bound)
