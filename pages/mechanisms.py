"""Page Mechanisms: how a mechanism chooses, why it is private, and when to use it."""

from functools import partial

import streamlit as st

from dptopk.mechanisms import MECHANISMS
from dptopk.mechanisms.pictures import Coins, NoisyCounts
from dptopk.mechanisms.selections import ONE_CHOICE
from dptopk.questions import settings
from dptopk.ui import address, show
from dptopk.ui.controls import inputs
from dptopk.ui.formats import plain
from dptopk.ui.layout import shell
from dptopk.ui.sections import calibrations, explanation, limits_drawn
from dptopk.ui.sections.swaps import swap_chart
from dptopk.ui.widgets import links, moving_limit

view = shell.view()
controls, screen = show.controls(), show.Screen.opened()  # above, where no words move them
if inputs.is_gallery(settings.any_mechanism()):
    screen.ask(
        "Which mechanisms choose a top k privately?",
        "δ: by how much a probability may exceed the bound of ε.",
    )
    with show.uncovered():  # they are no answer
        links.compared()
        explanation.gallery()
    show.done()
key = inputs.explained(controls)
with controls:
    every = partial(address.choose, settings.any_mechanism(), settings.ALL)
    back = show.Button("All mechanisms", "all-mechanisms", every)
    show.button(back, icon=":material/grid_view:")
(kind,) = (m for m in MECHANISMS.values() if m.card.key == key)
card, built = kind.card, view.build_on(kind, view.k, view.counts)
mechanism, refusal = (None, built) if isinstance(built, str) else (built, "")
picture = explanation.picture(view, mechanism, 1)
last, place = min(view.k, view.counts.d), 1
if last > 1 and isinstance(picture, Coins | NoisyCounts):
    place = inputs.number(controls, explanation.first_place(view), high=last, slider=True)
    picture = explanation.picture(view, mechanism, place)
screen.ask(f"What is {card.name}?")
others_first = () if key in view.keys else (key,)
show.chapters(show.Chapters(settings.any_mechanism(), (*others_first, *view.keys), key))

drawn = isinstance(picture, NoisyCounts)
origin = view.origin(
    (mechanism,) if mechanism else (),
    "one draw of the noise" if drawn else "exact",
    seed=view.seed if drawn else None,
    more={"from_place": place},
)
if isinstance(mechanism, ONE_CHOICE):  # its picture takes the width
    right, words = st.container(), st.container()
else:
    words, right = st.columns((2, 3), gap="medium")
with words:
    show.words(f"How {card.name} chooses.", explanation.does(card, mechanism), origin)
with right:
    if isinstance(mechanism, ONE_CHOICE):
        limit = limits_drawn.of_view(view, mechanism)
        st.caption(limit.line)
        moving_limit.show(limit)
    elif mechanism:
        caption = explanation.caption(view, mechanism, picture, place)
        if picture:
            show.chart(explanation.chart(view, mechanism, picture, place, origin, caption))
        st.caption(caption)
    if drawn:
        show.redraw("Draw again", "draw", "secondary")

st.header("What it promises, and why", anchor=False)
promise = explanation.promise(view, card, mechanism)
show.words("What it promises, and why", promise, origin)

st.header("Noise and gaps", anchor=False)
featured = explanation.featured(view, card)
st.markdown(explanation.scale(view, mechanism) if mechanism else plain(refusal, 300))
others = "\n".join(f"- {explanation.doing(view, one)}." for one in featured)
st.markdown(f"Others, at the same k and ε:\n\n{others}")
if swaps := swap_chart(view, (mechanism, *featured) if mechanism else ()):
    st.caption(swaps.line)
    show.chart(swaps)
calibrations.noise_scales(view, mechanism)

st.header("When to use it, and when not", anchor=False)
noise = f" {explanation.doing(view, mechanism)}." if mechanism else ""
show.words(f"When to use it, and when not.{noise}", explanation.when(card, mechanism), origin)
if card.explanation.example:
    links.example(card.explanation.example)

st.header("References", anchor=False)
show.listed(explanation.papers(card))
show.take_away(explanation.code(view, mechanism), origin)
