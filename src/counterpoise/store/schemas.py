"""Every kind of `.cpz` file that the package reads: its header, and what each of its arrays must be.

This is the whole list. A loader reads the header, works out the sizes that it names, and calls `Part.check`: nothing
of a file is used before. `docs/files.md` is written from here. Names in braces stand for a number or a word.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.store import headers, relations
from counterpoise.store.arrays import ArrayRule, Arrays, Sizes, check_alone, check_arrays

LARGEST = 1e30
"""The largest number of a table: sums of some still fit 32 bits."""
LARGEST_SUM = 1e150
"""The largest number of a table of a solver in 64 bits, whose averages grow with a power of the iterations: sums and
products of two are finite."""
FAR = 1e9
"""Where centres of clusters are that do not exist."""
MOST_COUNT = 2**53
"""No counter is larger: as a float it would not be whole any more."""
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32")
AS_MADE = ("as made",)
"""The types of an array that is to take the place of one that the program makes."""


@dataclass(frozen=True)
class Relation:
    """How arrays must fit together."""

    about: str
    """The end of a sentence that begins with "its arrays do not fit together: "."""
    holds: Any
    """A function of the arrays, by the names of their rules, and the sizes."""
    of: tuple[str, ...]
    """The arrays that it is about."""


@dataclass(frozen=True)
class Part:
    """Arrays that belong together."""

    arrays: Mapping[str, ArrayRule]
    relations: tuple[Relation, ...] = ()
    about: str = ""

    def check(
        self,
        path: str | os.PathLike[str],
        arrays: Arrays,
        sizes: Sizes,
        *,
        only: Collection[str] | None = None,
        prefix: str = "",
        **numbers: Any,
    ) -> dict[str, Any]:
        """Return the arrays of a file by the names of their rules, or refuse what is not as declared in a sentence.

        `only` are the rules that apply, by default all; names in the file begin with `prefix`, and have `numbers` in
        the place of what is in braces.
        """
        rules = {name: rule for name, rule in self.arrays.items() if only is None or name in only}
        names = {name: prefix + name.format(**numbers) for name in rules}
        check_arrays(f"{path} is damaged", arrays, {names[name]: rule for name, rule in rules.items()}, sizes)
        found = {name: arrays[names[name]] for name in rules}
        for relation in self.relations:
            if all(name in found for name in relation.of) and not relation.holds(found, sizes):
                raise InputError(f"{path} is damaged: its arrays do not fit together: {relation.about}")
        return found


@dataclass(frozen=True)
class Schema:
    """One kind of file."""

    header: type[headers.Header]
    parts: tuple[Part, ...]
    taken_by: str = ""
    """What to do with such a file, for the sentence that refuses it elsewhere."""
    notes: str = ""
    others: tuple[Part, ...] = field(default=())
    """Arrays that some files have besides."""
    inside: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    """Arrays of other kinds of file, by what their names begin with."""

    def check_alone(self, path: str | os.PathLike[str], name: str, array: NDArray[Any]) -> None:
        """Refuse an array that breaks its rule whatever the rest of its file says; one without a rule is ignored.

        What depends on the rest is left to the loader of the kind.
        """
        for pattern, rule in self._rules():
            if re.fullmatch(re.sub(r"\\{\w+\\}", r"[^/]+", re.escape(pattern)), name):
                made = rule.types == AS_MADE
                if not made or array.dtype.kind in "biuf":
                    own = rule.of(types=(array.dtype.name,)) if made else rule
                    check_alone(f"{path} is damaged", name, array, own)
                return

    def _rules(self) -> Iterator[tuple[str, ArrayRule]]:
        """Yield the names of all arrays with their rules, those that stand for any name last."""
        found = [(name, rule) for part in (*self.parts, *self.others) for name, rule in part.arrays.items()]
        for begin, parts in self.inside.items():
            found += [(begin + name, rule) for part in parts for name, rule in part.arrays.items()]
        yield from sorted(found, key=lambda pair: "{name}" in pair[0])


STRATEGY = Part(
    {
        "players": ArrayRule("how many players the game has", SIGNED, (), 1, 127),
        "owner": ArrayRule("whose each information set is", SIGNED, ("infosets",), 0, "last player", rising=True),
        "sizes": ArrayRule("how many actions each has", SIGNED, ("infosets",), 1, "actions"),
        "labels": ArrayRule("the names of information sets, as UTF-8", ("uint8",), ("bytes of labels",)),
        "label_offsets": ArrayRule(
            "where each begins", ("int64",), ("infosets + 1",), 0, "bytes of labels", rising=True
        ),
        "actions": ArrayRule("the names of actions, as UTF-8", ("uint8",), ("bytes of actions",)),
        "action_offsets": ArrayRule(
            "where each begins", ("int64",), ("actions + 1",), 0, "bytes of actions", rising=True
        ),
        "probabilities": ArrayRule(
            "of every action, 1 for each player's empty sequence before its own",
            ("float64",),
            ("sequences",),
            0,
            1 + relations.SUM_TOLERANCE,
        ),
    },
    (
        Relation(
            "labels and actions are not those of its information sets",
            relations.texts_fit_infosets,
            ("owner", "sizes", "labels", "label_offsets", "actions", "action_offsets"),
        ),
        Relation(
            "its probabilities do not sum to 1 in every information set",
            relations.probabilities_sum_to_one,
            ("players", "owner", "sizes", "probabilities"),
        ),
    ),
    "A strategy.",
)

CARDS = Part(
    {
        "public": ArrayRule("the public bucket of each flop", ("int32",), ("flops",), 0, "last public bucket"),
        "cluster_of": ArrayRule("the opponent cluster of each hand", ("uint8",), ("hands",), 0, "last cluster"),
    },
    about="What all streets share: `public` with public buckets, `cluster_of` if the last street's method is KO.",
)
STREET = Part(
    {
        "rows_{street}": ArrayRule(
            "the bucket of each hand on each board, from 1; 0 for dead hands", UNSIGNED, ("rows", "hands"), 0, "buckets"
        ),
        "model_{street}_columns": ArrayRule("the features that are cut", ("int64",), (2,), 0, 1),
        "model_{street}_outer": ArrayRule(
            "cut points", ("float64",), ("groups", "cut points"), infinite=True, rising=True
        ),
        "model_{street}_inner": ArrayRule(
            "second cut points",
            ("float64",),
            ("groups", "buckets of the first cut", "second cut points"),
            infinite=True,
            rising=True,
        ),
        "model_{street}_centres": ArrayRule(
            "centres of clusters", ("float32",), ("groups", "buckets per group", "components"), -FAR, FAR
        ),
        "model_{street}_metric": ArrayRule("how distance is measured", ("str",), (), texts=("emd", "l2")),
    },
    (
        Relation(
            "buckets of hands are not those of their boards and groups",
            relations.rows_fit_boards,
            ("rows_{street}",),
        ),
    ),
    "Each street: rows before the last one; cut points if its method is PHS, centres if it is KE, KO or KP.",
)
ABSTRACTION = (CARDS, STREET)
STEP_FIGURES = Part(
    {
        "filled": ArrayRule("buckets that hold any hand", SIGNED, (), 0, "buckets"),
        "objective": ArrayRule("the sum of squared distances, with clusters", ("float64",), (), 0, LARGEST),
    },
    about="Steps that make buckets.",
)
STEP_CENTRES = Part({"centres": STREET.arrays["model_{street}_centres"]}, about="A run of k-means, or some groups.")
STEP_ROWS = Part(
    {
        "rows": ArrayRule(
            "the bucket of each hand on some boards; -1 for dead hands",
            ("int16", "int32"),
            ("rows", "hands"),
            -1,
            "last bucket",
        )
    },
    about="Rows of a street. A finished street has them with what makes its buckets, named as in abstractions without "
    "`model_{street}_`.",
)
IN_BLUEPRINTS = "All arrays of each abstraction, their names after `abstraction_{number}_`."
ABSTRACTIONS = {"abstraction_{number}_": ABSTRACTION}

TABLE = Part({"table": ArrayRule("weights of actions", ("uint8", "float32"), ("table",), 0, LARGEST)})
WALKS = Part(
    {
        "walks_table": ArrayRule(
            "regrets and averages of decisions that were met", ("float32",), ("entries",), -LARGEST, LARGEST
        ),
        "walks_place": ArrayRule("where each decision has its block", ("uint32",), ("nodes",)),
        "walks_counts": ArrayRule("iterations, nodes touched, entries", ("int64",), (3,), 0, MOST_COUNT),
    },
    about="Blocks lie side by side and fill the table.",
)
RESPONDER = Part(
    {
        "walks_responder": ArrayRule(
            "the responder's regrets in the trunk, by seat of the player and round",
            ("float32",),
            ("regrets",),
            -LARGEST,
            LARGEST,
            when="method cfr-br",
        ),
        "walks_weight": ArrayRule(
            "by how much an iteration counts more than the first",
            ("float64",),
            (1,),
            1,
            MOST_COUNT,
            when="method cfr-br",
        ),
    },
)
WEIGHTS = ArrayRule("the weights of all networks of one shape", ("float32",), ("networks", "weights"), -FAR, FAR)
COUNTERS = ArrayRule("iterations and nodes touched", SIGNED, (2,), 0, MOST_COUNT)
AVERAGE = ArrayRule("the average strategy", AS_MADE, None, 0, LARGEST)
SCALE = ArrayRule("its unit, with 16 bits", AS_MADE, None, 0, LARGEST)
REACH = ArrayRule("how likely each hand arrives", ("float64",), ("hands of the range",), 0, 1.001)
STATE = f"As the algorithm makes them for the game: same names, types and shapes; of at most {LARGEST_SUM:g}."

SCHEMAS: dict[str, Schema] = {
    "strategy": Schema(headers.StrategyHeader, (STRATEGY,), "judge it with counterpoise evaluate {file}"),
    "run": Schema(
        headers.RunHeader,
        (
            STRATEGY,
            Part(
                {
                    "state.counters": COUNTERS,
                    "state.{name}": ArrayRule("the tables of the solver", AS_MADE, None),
                },
                about=STATE,
            ),
        ),
        "judge it with counterpoise evaluate {file}, continue it with counterpoise solve --resume {file}",
    ),
    "spot": Schema(
        headers.SpotHeader,
        (
            Part(
                {
                    "state.counters": COUNTERS,
                    "state.{name}": ArrayRule("the tables of the solver", AS_MADE, None),
                    "state.average": AVERAGE,
                    "state.average.scale": SCALE,
                },
                about=STATE + " Without the river only the average of the streets before it.",
            ),
        ),
        "it is a solved spot, look at it with counterpoise spot {file}",
    ),
    "search": Schema(
        headers.SearchHeader,
        (
            Part({"reach.{player}": REACH}),
            Part({"average": AVERAGE, "average.scale": SCALE}),
        ),
        "look at it with counterpoise search {file}",
    ),
    "growth": Schema(
        headers.GrowthHeader,
        (
            Part(
                {
                    "tree.kind": ArrayRule("who acts, or what ends there", ("uint8",), ("nodes",), 0, "last kind"),
                    "tree.parent": ArrayRule("the node before", ("uint32",), ("nodes",), 0, "last node"),
                    "tree.first": ArrayRule("the first child", ("uint32",), ("nodes",), 0, "last node"),
                    "tree.next": ArrayRule("the next child of the parent", ("uint32",), ("nodes",), 0, "last node"),
                    "tree.board": ArrayRule("the public card", ("uint8",), ("nodes",), 0, "ranks"),
                    "tree.bets": ArrayRule("bets of the round so far", ("uint8",), ("nodes",), 0, "bets"),
                    "tree.size": ArrayRule("of the last bet, a share of the pot", ("float64",), ("nodes",), 0, 1),
                    "tree.stake": ArrayRule("paid by each player", ("float64",), ("nodes",), 0, LARGEST),
                }
                | {
                    f"sums.{name}": ArrayRule(about, ("float64",), ("nodes", "ranks"), -LARGEST, LARGEST)
                    for name, about in {
                        "strategy": "of the next iteration",
                        "fallback": "what is played without regrets",
                        "regrets": "summed up",
                        "average": "the sum of strategies",
                        "folded": "values of bets due to folds, summed up",
                        "value": "of decisions, summed up",
                        "faced": "the opponent's reach, summed up",
                    }.items()
                },
                (
                    Relation(
                        "the links of its tree lead nowhere",
                        relations.links_lead_somewhere,
                        ("tree.kind", "tree.parent", "tree.first", "tree.next"),
                    ),
                ),
            ),
        ),
        "continue it with cp.grow_abstraction(resume={file!r})",
    ),
    "best response": Schema(
        headers.WalkHeader,
        (
            Part(
                {
                    "sums": ArrayRule("of the first deals so far", ("float64",), (2, "values"), -LARGEST, LARGEST),
                    "numbers": ArrayRule(
                        "later deals that are finished", ("int64",), ("finished",), "first open deal", "last deal"
                    ),
                    "early": ArrayRule("their values", ("float64",), ("finished", 2, "values"), -LARGEST, LARGEST),
                },
                (Relation("a deal is there twice", relations.deals_after_the_sum, ("numbers",)),),
            ),
        ),
        "continue it with counterpoise best-response --resume {file}",
    ),
    "trunk": Schema(
        headers.TrunkHeader,
        (Part({"regrets": ArrayRule("of the first round, none below 0", ("float32",), ("regrets",), 0, LARGEST)}),),
        "continue it with counterpoise solve GAME --out-of-core FOLDER",
        "Beside it lie the regrets of the parts of the game, in files of their own (`.regrets`).",
    ),
    "abstraction": Schema(headers.AbstractionHeader, ABSTRACTION, "look at it with counterpoise abstraction {file}"),
    "abstraction step": Schema(
        headers.AbstractionStepHeader,
        (CARDS, STEP_FIGURES, STEP_CENTRES, STEP_ROWS),
        notes="Written and read by builds of abstractions alone, in a folder of their own; a step has some of these "
        "arrays. One that is not as declared is not refused but made again.",
    ),
    "portfolio": Schema(
        headers.PortfolioHeader,
        (
            STRATEGY,
            Part({"member {number}": STRATEGY.arrays["probabilities"].of(about="the probabilities of each member")}),
        ),
        "let it play with counterpoise match implicit:{file}",
    ),
    "training": Schema(
        headers.TrainingHeader,
        (WALKS,),
        "continue it with counterpoise train --resume {file}",
        IN_BLUEPRINTS,
        (RESPONDER,),
        inside=ABSTRACTIONS,
    ),
    "blueprint": Schema(
        headers.BlueprintHeader,
        (TABLE,),
        "let it play with counterpoise match blueprint:{file}, in a small game judge it with counterpoise evaluate "
        "blueprint:{file}",
        IN_BLUEPRINTS,
        inside=ABSTRACTIONS,
    ),
    "leaf values": Schema(
        headers.LeafValuesHeader,
        (
            Part(
                {
                    "means": ArrayRule(
                        "what seat 0 wins with each pair of hands where the first round ends",
                        ("float32",),
                        ("picks", "ends", "classes", "classes"),
                        -LARGEST,
                        LARGEST,
                    )
                }
            ),
        ),
        "modicum reads it beside its blueprint",
    ),
    "leaf examples": Schema(
        headers.LeafExamplesHeader,
        (
            Part(
                {
                    "inputs{seat}": ArrayRule("features", ("float32",), ("examples", "features"), -LARGEST, LARGEST),
                    "targets{seat}": ArrayRule("values", ("float32",), ("examples", 2, "picks"), -LARGEST, LARGEST),
                }
            ),
        ),
        "",
        "Beside a leaf network that is being made.",
    ),
    "networks": Schema(
        headers.NetworksHeader,
        (Part({"networks{number}": WEIGHTS}),),
        "judge what they play with counterpoise evaluate {file}",
        "In version 1 every array of weights is an array of the file, `{network}.{part}`.",
        (STRATEGY,),
    ),
    "network training": Schema(
        headers.NetworkTrainingHeader,
        (
            Part(
                {
                    "{name}": ArrayRule("weights, optimisers, memories, counters", AS_MADE, None),
                },
                about="As the method makes them for the game and its settings; finite, and every index of the game.",
            ),
        ),
        "continue it with counterpoise train --resume {file}",
    ),
    "branch set": Schema(
        headers.BranchesHeader,
        (Part({"table {number}": TABLE.arrays["table"].of(types=("uint8",), about="weights of each branch")}),),
        "add to it with counterpoise improve BLUEPRINT LOG --branches {file}",
    ),
}
"""All kinds of files, by what their headers call them."""
