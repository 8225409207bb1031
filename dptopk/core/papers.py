"""Bibliography of the package and the app, with links.

A mechanism's card, a proven bound and the words of the app name a place in one of these, so that
what they say can be looked up.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """A paper; ``year`` is that of ``venue``, where it was published."""

    authors: tuple[str, ...]
    year: int
    title: str
    venue: str
    url: str

    @property
    def citation(self) -> str:
        """All authors and the year."""
        return f"{', '.join(self.authors)} {self.year}"

    @property
    def short(self) -> str:
        """Short citation: at most two authors, and the year."""
        if len(self.authors) > 2:
            return f"{self.authors[0]} et al. {self.year}"
        return f"{' and '.join(self.authors)} {self.year}"

    def at(self, place: str) -> "Citation":
        """Return the citation of a theorem, section or figure of this paper."""
        return Citation(self, place)


@dataclass(frozen=True)
class Citation:
    """Theorem, section or figure of a paper."""

    paper: Paper
    place: str

    @property
    def citation(self) -> str:
        """All authors and the year, without the place."""
        return self.paper.citation

    @property
    def url(self) -> str:
        """Link to the paper."""
        return self.paper.url

    @property
    def words(self) -> str:
        """Short citation with the place in the paper."""
        return f"{self.paper.short}, {self.place}"

    @property
    def link(self) -> str:
        """Short citation with the place, as a Markdown link."""
        return f"[{self.words}]({self.url})"


GILLENWATER_2022 = Paper(
    ("Gillenwater", "Joseph", "Muñoz Medina", "Ribero"),
    2022,
    "A Joint Exponential Mechanism For Differentially Private Top-k",
    "ICML 2022",
    "https://arxiv.org/abs/2201.12333",
)
MCSHERRY_2007 = Paper(
    ("McSherry", "Talwar"),
    2007,
    "Mechanism Design via Differential Privacy",
    "FOCS 2007",
    "https://doi.org/10.1109/FOCS.2007.66",
)
MCKENNA_2020 = Paper(
    ("McKenna", "Sheldon"),
    2020,
    "Permute-and-Flip: A new mechanism for differentially private selection",
    "NeurIPS 2020",
    "https://arxiv.org/abs/2010.12603",
)
DING_2021 = Paper(
    ("Ding", "Kifer", "Saghaian", "Steinke", "Wang", "Xiao", "Zhang"),
    2021,
    "The Permute-and-Flip Mechanism is Identical to Report-Noisy-Max with Exponential Noise",
    "arXiv 2021",
    "https://arxiv.org/abs/2105.07260",
)
DURFEE_2019 = Paper(
    ("Durfee", "Rogers"),
    2019,
    "Practical Differentially Private Top-k Selection with Pay-what-you-get Composition",
    "NeurIPS 2019",
    "https://arxiv.org/abs/1905.04273",
)
NEAR_2025 = Paper(
    ("Near", "Darais", "Lefkovitz", "Howarth"),
    2025,
    "Guidelines for Evaluating Differential Privacy Guarantees",
    "NIST Special Publication 800-226, 2025",
    "https://doi.org/10.6028/NIST.SP.800-226",
)
DING_2019 = Paper(
    ("Ding", "Wang", "Zhang", "Kifer"),
    2019,
    "Free Gap Information from the Differentially Private Sparse Vector and Noisy Max Mechanisms",
    "PVLDB 13 2019",
    "https://arxiv.org/abs/1904.12773",
)
DWORK_2006 = Paper(
    ("Dwork", "McSherry", "Nissim", "Smith"),
    2006,
    "Calibrating Noise to Sensitivity in Private Data Analysis",
    "TCC 2006",
    "https://doi.org/10.1007/11681878_14",
)
BUN_2016 = Paper(
    ("Bun", "Steinke"),
    2016,
    "Concentrated Differential Privacy: Simplifications, Extensions, and Lower Bounds",
    "TCC 2016",
    "https://arxiv.org/abs/1605.02065",
)
CANONNE_2020 = Paper(
    ("Canonne", "Kamath", "Steinke"),
    2020,
    "The Discrete Gaussian for Differential Privacy",
    "NeurIPS 2020",
    "https://arxiv.org/abs/2004.00010",
)
SHEKELYAN_2022 = Paper(
    ("Shekelyan", "Loukides"),
    2022,
    "Differentially Private Top-k Selection via Canonical Lipschitz Mechanism",
    "arXiv 2022",
    "https://arxiv.org/abs/2201.13376",
)
DONG_2020 = Paper(
    ("Dong", "Durfee", "Rogers"),
    2020,
    "Optimal Differential Privacy Composition for Exponential Mechanisms and the Cost of "
    "Adaptivity",
    "ICML 2020",
    "https://arxiv.org/abs/1909.13830",
)
GILLENWATER_2021 = Paper(
    ("Gillenwater", "Joseph", "Muñoz Medina", "Ribero"),
    2021,
    "A Joint Exponential Mechanism for Differentially Private Top-k Set",
    "Privacy in Machine Learning, NeurIPS workshop 2021",
    "https://nips.cc/Conferences/2021/ScheduleMultitrack?event=32477",
)
DWORK_2009 = Paper(
    ("Dwork", "Lei"),
    2009,
    "Differential Privacy and Robust Statistics",
    "STOC 2009",
    "https://doi.org/10.1145/1536414.1536466",
)
CARVALHO_2020 = Paper(
    ("Carvalho", "Wang", "Gondara", "Miao"),
    2020,
    "Differentially Private Top-k Selection via Stability on Unknown Domain",
    "UAI 2020",
    "https://proceedings.mlr.press/v124/silva-carvalho20a.html",
)
ZHU_2022 = Paper(
    ("Zhu", "Wang"),
    2022,
    "Adaptive Private-K-Selection with Adaptive K and Application to Multi-label PATE",
    "AISTATS 2022",
    "https://arxiv.org/abs/2203.16100",
)
DURFEE_2021 = Paper(
    ("Durfee", "Rogers"),
    2021,
    "One-shot DP Top-k mechanisms",
    "differentialprivacy.org 2021",
    "https://differentialprivacy.org/one-shot-top-k/",
)
QIAO_2021 = Paper(
    ("Qiao", "Su", "Zhang"),
    2021,
    "Oneshot Differentially Private Top-k Selection",
    "ICML 2021",
    "https://arxiv.org/abs/2105.08233",
)
STEINKE_2015 = Paper(
    ("Steinke", "Ullman"),
    2015,
    "Between Pure and Approximate Differential Privacy",
    "arXiv 2015",
    "https://arxiv.org/abs/1501.06095",
)
CESAR_2021 = Paper(
    ("Cesar", "Rogers"),
    2021,
    "Bounding, Concentrating, and Truncating: Unifying Privacy Loss Composition for Data Analytics",
    "ALT 2021",
    "https://arxiv.org/abs/2004.07223",
)
ROGERS_2024 = Paper(
    ("Rogers",),
    2024,
    "Private Count Release: A Simple and Scalable Approach for Private Data Analytics",
    "arXiv 2024",
    "https://arxiv.org/abs/2403.05073",
)
KAIROUZ_2015 = Paper(
    ("Kairouz", "Oh", "Viswanath"),
    2015,
    "The Composition Theorem for Differential Privacy",
    "ICML 2015",
    "https://arxiv.org/abs/1311.0776",
)
WILSON_2020 = Paper(
    ("Wilson", "Zhang", "Lam", "Desfontaines", "Simmons-Marengo", "Gipson"),
    2020,
    "Differentially Private SQL with Bounded User Contribution",
    "PoPETs 2020",
    "https://arxiv.org/abs/1909.01917",
)
KOROLOVA_2009 = Paper(
    ("Korolova", "Kenthapadi", "Mishra", "Ntoulas"),
    2009,
    "Releasing Search Queries and Clicks Privately",
    "WWW 2009",
    "https://doi.org/10.1145/1526709.1526733",
)
GOPI_2020 = Paper(
    ("Gopi", "Gulhane", "Kulkarni", "Shen", "Shokouhi", "Yekhanin"),
    2020,
    "Differentially Private Set Union",
    "ICML 2020",
    "https://arxiv.org/abs/2002.09745",
)
WILKINS_2022 = Paper(
    ("Wilkins", "Kifer", "Zhang", "Karrer"),
    2022,
    "Exact Privacy Analysis of the Gaussian Sparse Histogram Mechanism",
    "arXiv 2022",
    "https://arxiv.org/abs/2202.01100",
)
BALLE_2018 = Paper(
    ("Balle", "Wang"),
    2018,
    "Improving the Gaussian Mechanism for Differential Privacy: Analytical Calibration and Optimal "
    "Denoising",
    "ICML 2018",
    "https://arxiv.org/abs/1805.06530",
)
DICK_2026 = Paper(
    ("Dick", "Joseph", "Raman"),
    2026,
    "Missing Mass for Differentially Private Domain Discovery",
    "arXiv 2026",
    "https://arxiv.org/abs/2603.14016",
)
WU_2024 = Paper(
    ("Wu", "Zhang"),
    2024,
    "Faster Differentially Private Top-k Selection: A Joint Exponential Mechanism with Pruning",
    "NeurIPS 2024",
    "https://arxiv.org/abs/2411.09552",
)
