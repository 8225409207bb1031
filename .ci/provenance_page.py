"""Write the README of the bundled data from their provenance file.

    python .ci/provenance_page.py            prints it
    python .ci/provenance_page.py --write    writes sample_data/README.md

Sizes, totals and extremes are computed from the files.
"""

import argparse
import sys

from dptopk.data.datasets import (
    DatasetInfo,
    data_folder,
    dataset_info,
    dataset_names,
    load_dataset,
    provenance,
)

__all__ = ["main", "readme"]


def readme() -> str:
    """Write out what is known of every bundled data set, as Markdown."""
    about = provenance()["about"]
    infos = [dataset_info(name) for name in dataset_names()]
    parts = [
        "<!-- Generated from provenance.toml by `python .ci/provenance_page.py --write`. -->",
        "# Bundled data",
        f"The {len(infos)} real sets of counts, one row an item. {about['files']}",
        f"**Licences.** {about['licences']}",
        f"**What one user can change.** {about['users']}",
        "\n".join([*_TABLE_HEAD, *map(_row, infos)]),
        about["missing"],
        *(part for info in infos for part in (f"## {info.name}", _facts(info))),
    ]
    return "\n\n".join(parts) + "\n"


_TABLE_HEAD = (
    "| name | d | total count | largest | smallest | distinct users? | the paper's data? |",
    "| --- | --- | --- | --- | --- | --- | --- |",
)


def _row(info: DatasetInfo) -> str:
    """One line of the table of sizes."""
    counts = load_dataset(info.name).counts
    sizes = (counts.size, counts.sum(), counts.max(), counts.min())
    certain = "yes" if info.distinct_users else "not for certain"
    return f"| {' | '.join([info.name, *(f'{n:,}' for n in sizes), certain, info.paper])} |"


def _facts(info: DatasetInfo) -> str:
    """Everything known of one set, a line a fact; what is empty is left out."""
    packed = " (of the compressed file)" if info.file.endswith(".gz") else ""
    facts = {
        "what": f"{info.title}. {info.description}",
        "file": f"`{info.file}`, SHA-256 `{info.sha256}`{packed}",
        "source": info.original,
        "taken from": info.copy,
        "checks": info.checks,
        "where": info.url,
        "licence": f"{info.license} SPDX: `{info.spdx}`",
        "cite": info.citation,
        "derived": info.derivation,
        "one user": info.sensitivity,
        "shown by": info.repeats,
        "note": info.note,
    }
    return "\n".join(f"- {label}: {fact}" for label, fact in facts.items() if fact)


def main(arguments: list[str] | None = None) -> None:
    """Print the README, or write it beside the provenance file."""
    parser = argparse.ArgumentParser(prog="provenance_page.py", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write sample_data/README.md")
    if parser.parse_args(arguments).write:
        # bytes, so that no platform changes the ends of lines
        (data_folder() / "README.md").write_bytes(readme().encode("utf-8"))
    else:
        sys.stdout.write(readme())


if __name__ == "__main__":
    main()
