"""Modicum: depth-limited search from the first action on, the blueprint never played.

See Brown et al. 2018, section 6 and appendix A, Brown 2020, section 6.5.

1. First round: solved to its end with values from a table (`RoundTable`), at the start of the game and again just
   before each action of the opponent that the solution lacks, with that action in the game and the ranges of both as
   the solutions so far say (nested unsafe search). Solutions are kept by the actions with their sizes, the seat
   and the stacks: a line that was met before costs no search.
2. Second round: solved to its end before each action of the opponent, with four biased continuations at its leaves;
   only the opponent picks among them, or both. Where there are few enough pairs of hands, as with 24 cards, their
   values are computed beforehand on dealt boards and all hands are solved at once; else by sampling, with roll-outs.
   Which of the two it is depends on the game and where play is, not on `values` or `fast`.
   With `leaves=network` networks say what the leaves are worth, all of them before the round is solved.
3. From the third round on: to the end of the game. The first search is unsafe; after each action of the opponent
   follows Reach search, whose alternatives are the expected values of the previous solution.

Own earlier decisions are never solved again, so that search does not revise them. With `values=single` each leaf has
one value, that of the blueprint: the naive baseline.

The opponent's continuations would make the searcher timid, as it has only one itself. So in both first rounds no
continuation is worth more to a hand than the blueprint is, against the searcher's blueprint (`weaken`). Where leaves
are sampled their means are not known beforehand: there each continuation but the blueprint costs a share of the pot
(`penalty`), the alternative that Brown et al. name.

All but the last of these searches are unsafe. The opponent is believed to play as the solutions do and, once in a
while, by mistake with any hand (`tremble`). Without that, an opponent who takes a line that a solution hardly ever
takes would be assigned the few hands with which it does.

A solution depends on the actions and the ranges that led to it and on nothing else that was played, so that the order
of hands does not matter, as it would with Brown et al.'s growing abstraction of the first round.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from counterpoise.agents.base import Measured, agent
from counterpoise.agents.first_round_leaves import FirstRoundLeaves
from counterpoise.agents.flop_leaves import FlopLeaves
from counterpoise.agents.leaf_values import strategy_of
from counterpoise.agents.recipes import TrainedByRecipe
from counterpoise.agents.sampled_strategies import SampledBetting, SampledStrategy, compile_sampled
from counterpoise.agents.searching import (
    BiasedLeaves,
    Budget,
    Deadline,
    SearchClock,
    SearchingAgent,
    SearchNote,
    SubgameSearch,
)
from counterpoise.agents.settings import SETTING, settings_of
from counterpoise.agents.subgames import (
    SolvedStrategy,
    affordable,
    answer_action,
    compile_searches,
    open_subgame,
    solve_unsafe,
    with_action,
)
from counterpoise.agents.table_games import MENU_FIELDS
from counterpoise.betting.sizes import label
from counterpoise.errors import InputError
from counterpoise.games.events import ActionEvent, read_event
from counterpoise.games.holdem import GameMenu
from counterpoise.names import parse
from counterpoise.parameters import require_choice, shown
from counterpoise.public import Cut, HoldemGame
from counterpoise.search.leaves import counts_of, penalised, pot_of, weakened
from counterpoise.search.nested_settings import NestedSearch
from counterpoise.search.own_leaves import LEAF_EVALUATORS
from counterpoise.search.public_belief import PublicBelief
from counterpoise.search.sampled import SampledProblem, SampledSettings, biases, search_sampled

if TYPE_CHECKING:
    from counterpoise.betting.sizes import BetSizes
    from counterpoise.deep.leaves import LeafNetworks
    from counterpoise.public import LeafEvaluator, PublicNode
    from counterpoise.search.round_table import Similarity
    from counterpoise.search.subgame import FloatArray

MOST_KNOWN = 200
"""Solutions of the first round that are kept, a few megabytes each."""
UNLIMITED = 86_400.0
"""Seconds for what is solved before the first hand."""
Values = Literal["multi", "single"]
OWN_LEAVES = ("rollouts", "network")
"""The built-in values of leaves in the second round; other names are leaf evaluators that users have registered."""
Evaluators = Callable[[PublicBelief, int], "LeafEvaluator | None"]
"""From a belief at the root of a search and the searcher's seat to what leaves at the end of the round are worth."""


@dataclass(frozen=True)
@settings_of("modicum")
class ModicumSearch(SubgameSearch, BiasedLeaves):
    """How it searches; `settings/modicum.toml` says what each number means and where it is from."""

    full_round: int = SETTING
    values_after_first: int = SETTING
    similar: Similarity = SETTING
    weaken: bool = SETTING
    penalty: float = SETTING
    both: bool = SETTING
    tremble: float = SETTING
    first_iterations: int = SETTING
    fast_first_iterations: int = SETTING
    table_boards: tuple[int, ...] = SETTING
    table_work: float = SETTING
    answer_boards: tuple[int, ...] = SETTING
    answer_work: float = SETTING
    flop_work: float = SETTING
    fast_flop_work: float = SETTING
    network_iterations: int = SETTING
    network_products: float = SETTING
    fast_network_products: float = SETTING
    network_pairs: float = SETTING
    fast_network_pairs: float = SETTING
    flop_boards: tuple[int, ...] = SETTING
    fast_flop_boards: tuple[int, ...] = SETTING
    flop_products: float = SETTING
    fast_flop_products: float = SETTING
    flop_iterations: int = SETTING
    fast_flop_iterations: int = SETTING
    turn_iterations: tuple[int, ...] = SETTING
    river_iterations: tuple[int, ...] = SETTING


@agent("modicum")
@dataclass
class Modicum(TrainedByRecipe, SearchingAgent):
    """Searches to the end of the round, from the turn on to the end of the game: modicum:BLUEPRINT, two seats."""

    source = "Brown et al. 2018, section 6; Brown 2020, section 6.5"
    measured = Measured(225, 1.7)

    values: Values = "multi"
    """Whether the opponent picks among several continuations at leaves, or there is a single value for each."""
    leaves: str = "rollouts"
    """What leaves of the second round are worth: rollouts, the network beside the blueprint, or your own, by name."""
    search: ModicumSearch = ModicumSearch()
    """How it searches."""
    evaluators: Evaluators | None = None
    """Other values of leaves than the table and roll-outs, such as a network's; asked before both first rounds."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice("modicum: values", self.values, get_args(Values))
        self._evaluators = self.evaluators
        if self.leaves not in OWN_LEAVES:
            self._evaluators = _named_evaluators(self.leaves)
        if self.leaves == "network" and self.search.both:
            raise InputError("modicum: leaves must be rollouts if both seats pick continuations, not network")
        self._known: dict[Any, Any] = {}
        """Tables, and solutions of the first round; copies at other seats share it."""

    def prepare(self) -> None:
        """Refuse a game that the blueprint is not for or one of more than two seats; read or make the table."""
        super().prepare()
        if self.game.players != 2:
            raise InputError(f"modicum plays with two seats, not {self.game.players}: pluribus takes up to six")
        if self.holdem.board[0] or len(self.holdem.board) < 2:
            raise InputError(f"modicum needs a betting round before the first public cards, unlike {self.holdem.name}")
        if self._evaluators is None:
            if self.leaves == "network":
                self._networks()
            else:
                self._flop  # noqa: B018
            self._first_leaves.table  # noqa: B018
        self.belief(())  # what must be compiled or solved before the first hand
        compile_searches(self.registered_name)
        if self._evaluators is None and self.leaves == "rollouts":
            compile_sampled(self.registered_name, self.holdem, self.blueprint)

    def _belief(self, public: tuple[str, ...]) -> PublicBelief:
        """Return where play is after a public history; the first round is solved before anything has happened."""
        if public:
            return self.observe(self.belief(public[:-1]), public[-1])
        return self._first_round(self.blueprint_belief(), None)

    def blueprint_belief(self) -> PublicBelief:
        """Return the belief of the blueprint before the first action, in which other seats may act by mistake."""
        return replace(super().blueprint_belief(), tremble=self.search.tremble)

    def observe(self, belief: PublicBelief, event: str) -> PublicBelief:
        """Return the belief after a public event (see the module docstring)."""
        acted = isinstance(read_event(event), ActionEvent)
        if acted and belief.betting.to_act == self.seat:
            return belief.after(event)
        if not acted:
            keep = belief.after(event)
            return self._search(keep, None) if keep.betting.to_act == self.seat and self._is_new(keep) else keep
        if self.holdem.betting_next(belief.betting, event).to_act != self.seat:
            return self._or_blueprint(belief).after(event)
        return self._search(belief, event)

    def _search(self, belief: PublicBelief, event: str | None) -> PublicBelief:
        """Return the belief after an action of the opponent, or of the present moment, after a search if one is due."""
        number = belief.betting.round
        if number == 0:
            assert event is not None
            return self._first_round(belief, event)
        try:
            if number >= min(self.search.full_round, len(self.holdem.board) - 1):
                return self._last_rounds(belief, event)
            return self._second_round(belief, event)
        except InputError as error:  # such as ranges that cannot be dealt together: the blueprint instead
            self.searches.append(SearchNote(belief.public, "none", failed=str(error)))
            kept = self._or_blueprint(belief)
            return kept if event is None else kept.after(event)

    def _first_round(self, belief: PublicBelief, event: str | None) -> PublicBelief:
        """Return the belief of a solution of the first round from here on in which an action is known."""
        if event is not None and self._is_known(belief, event):
            return belief.after(event)
        line = belief.public if event is None else (*belief.public, event)
        key = line, self.seat, self.holdem.betting  # sizes, seat and stacks, but no cards
        if key not in self._known:
            strategy, note = self._solve_first(belief, event)
            self.searches.append(note)
            if note.cut_short:
                return belief.follow(strategy) if event is None else belief.follow(strategy).after(event)
            if len(self._known) >= MOST_KNOWN:  # the oldest solution goes; the table and the leaves stay
                del self._known[next(one for one in self._known if isinstance(one[0], tuple))]
            self._known[key] = strategy
        found = belief.follow(self._known[key])
        return found if event is None else found.after(event)

    def _solve_first(self, belief: PublicBelief, event: str | None) -> tuple[SolvedStrategy, SearchNote]:
        own = self.search
        leaves = self._leaves(belief)
        iterations = own.fast_first_iterations if self.fast else own.first_iterations
        cut = Cut(choices=counts_of(leaves), runouts=True)
        rules = open_subgame(belief, self._menu(belief, event), cut=cut)
        budget = Budget(0.0, iterations, iterations)
        deadline = Deadline(self.seconds if belief.public or event else UNLIMITED)
        return solve_unsafe(belief, rules, self.seat, budget, deadline, leaves)

    def _leaves(self, belief: PublicBelief) -> LeafEvaluator:
        """Return the values of the ends of the first round for this seat's search."""
        given = None if self._evaluators is None else self._evaluators(belief, self.seat)
        return self._first_leaves.after(belief, self.seat) if given is None else given

    @property
    def _first_leaves(self) -> FirstRoundLeaves:
        """The values of the ends of the first round."""
        if "first round" not in self._known:
            self._known["first round"] = FirstRoundLeaves(self)
        known: FirstRoundLeaves = self._known["first round"]
        return known

    def _second_round(self, belief: PublicBelief, event: str | None) -> PublicBelief:
        """Return the belief of a search of the round from here on, in which an action of the opponent is known."""
        given = None if self._evaluators is None else self._evaluators(belief, self.seat)
        own, strategy = self.search, None
        if given is not None:
            strategy = self._with_leaves(belief, event, given, self._budget(belief))
        elif self.leaves == "network":
            strategy = self._by_networks(belief, event)
        elif self._flop.affordable(belief, own.flop_products, own.flop_boards[0]):
            strategy = self._by_boards(belief, event)
        found = belief.follow(strategy or self._sampled(belief, event))
        return found if event is None else found.after(event)

    def _by_boards(self, belief: PublicBelief, event: str | None) -> SolvedStrategy:
        """Return the solution of the round with all hands at once, its leaves valued beforehand on dealt boards."""
        own, picks = self.search, self._picks(self._flop.count)
        products, limits, iterations = own.flop_products, own.flop_boards, own.flop_iterations
        if self.fast:
            products, limits, iterations = own.fast_flop_products, own.fast_flop_boards, own.fast_flop_iterations
        boards = self._flop.boards(belief, picks, products, limits)
        leaves = self._balanced(belief, self._flop.after(belief, picks, boards, own.similar))
        return self._with_leaves(belief, event, leaves, Budget(0.0, iterations, iterations), alike=False)

    @property
    def _flop(self) -> FlopLeaves:
        """What the ends of the second round are worth."""
        if "flop" not in self._known:
            several = self.values == "multi"
            self._known["flop"] = FlopLeaves(self.blueprint, self.search.factor, several, self.seed)
        known: FlopLeaves = self._known["flop"]
        return known

    def _balanced(self, belief: PublicBelief, leaves: LeafEvaluator) -> LeafEvaluator:
        """Return the leaves of the second round at which the opponent's continuations are weakened, or penalised."""
        own, opponent = self.search, 1 - self.seat
        if counts_of(leaves)[opponent] == 1:
            return leaves
        if not own.weaken:
            return penalised(leaves, opponent, own.penalty, pot_of)
        before = self._blueprint_after(belief.public)

        def arriving(leaf: PublicNode) -> FloatArray:
            assert isinstance(leaf.game, HoldemGame)
            found = reduce(PublicBelief.after, map(label, leaf.steps), before)
            return np.asarray(leaf.game.gather_from_deck(self.seat, found.ranges[self.seat]))

        return weakened(leaves, opponent, arriving)

    def _picks(self, count: int) -> tuple[int, int]:
        """Return the number of continuations each seat chooses from."""
        own = count if self.search.both else 1
        return (own, count) if self.seat == 0 else (count, own)

    def _sampled(self, belief: PublicBelief, event: str | None) -> Any:
        own, rules, clock = self.search, self._betting(belief), SearchClock()
        problem = SampledProblem(
            game=belief.game,
            public=belief.public,
            ranges=belief.ranges,
            blueprint=self.blueprint.tree,
            strategy=strategy_of(self.blueprint),
            menu=rules.menu,
            played=() if event is None else (event,),
        )
        factors = biases(own.factor) if self.values == "multi" else np.ones((1, 3))
        most = len(factors)
        settings = SampledSettings(
            iterations=2_000_000,
            nodes=int(own.fast_flop_work if self.fast else own.flop_work),
            factors=factors,
            picks=self._picks(most),
            rollouts=own.rollouts,
            penalty=0.0 if own.both else own.penalty,
            seed=zlib.crc32(f"{self.seed}:{':'.join(belief.public)}:{event}".encode()),
            seconds=self.seconds,
        )
        found = search_sampled(problem, settings)
        nodes, cut_short = len(found.tree.arrays.player), found.cut_short
        self.searches.append(clock.note(belief.public, "sampled", nodes, found.iterations, cut_short=cut_short))
        return SampledStrategy(found, rules, self.blueprint, self.seat, last_iterate=False)

    def _with_leaves(
        self, belief: PublicBelief, event: str | None, leaves: LeafEvaluator, budget: Budget, alike: bool = True
    ) -> SolvedStrategy:
        """Return the solution of the round with all hands at once and given values of its leaves.

        Unless suits may be treated `alike`, every hand is told apart.
        """
        rules = open_subgame(belief, self._menu(belief, event), cut=Cut(choices=counts_of(leaves)))
        rules = rules if alike else replace(rules, isomorphism=False)
        strategy, note = solve_unsafe(belief, rules, self.seat, budget, Deadline(self.seconds), leaves)
        self.searches.append(note)
        return strategy

    def _by_networks(self, belief: PublicBelief, event: str | None) -> SolvedStrategy:
        """Return the solution of the round with all hands at once, its leaves valued by networks beforehand."""
        from counterpoise.agents.leaf_networks import few_leaves
        from counterpoise.deep.leaves import NetworkLeaves

        own = self.search
        network = NetworkLeaves(self._networks(), self.seat, single=self.values == "single")
        leaves = self._balanced(belief, network)
        poorer = [with_action(sizes, belief, event) for sizes in self._menus(belief)]
        most = own.fast_network_pairs if self.fast else own.network_pairs
        rules, pairs = few_leaves(belief, [self._menu(belief, event), *poorer], network.counts, most)
        products = own.fast_network_products if self.fast else own.network_products
        iterations = int(min(max(products / max(pairs * max(network.counts), 1.0), 1.0), own.network_iterations))
        budget = Budget(0.0, iterations, iterations)
        strategy, note = solve_unsafe(belief, rules, self.seat, budget, Deadline(self.seconds), leaves)
        self.searches.append(note._replace(method="network"))
        return strategy

    def _last_rounds(self, belief: PublicBelief, event: str | None) -> PublicBelief:
        """Return the belief of a solution to the end of the game."""
        budget, deadline = self._budget(belief), Deadline(self.seconds)
        if event is not None and not self._is_new(belief):
            if not belief.exact:
                return belief.after(event)
            settings = NestedSearch(method="resolve", gifts=True, expected=True, always=True)
            strategy, note = answer_action(
                belief.strategy,  # type: ignore[arg-type]
                belief.public,
                event,
                self._menus(belief),
                settings,
                budget,
                deadline,
            )
            self.searches.append(note)
            return belief.after(event).follow(strategy)
        rules = affordable(belief, self._menus(belief), budget, event)
        strategy, note = solve_unsafe(belief, rules, self.seat, budget, deadline)
        self.searches.append(note)
        found = belief.follow(strategy)
        return found if event is None else found.after(event)

    def _is_new(self, belief: PublicBelief) -> bool:
        """Return whether the strategy of a belief stops before the end of the game, so that this round is new to it."""
        strategy = belief.strategy
        return not (isinstance(strategy, SolvedStrategy) and strategy.holdem.rules.cut is None)

    def _is_known(self, belief: PublicBelief, event: str) -> bool:
        return event in self.known_actions(belief)

    def known_actions(self, belief: PublicBelief) -> tuple[str, ...]:
        """Return the actions that the strategy of a belief knows where play is."""
        return belief.strategy.behaviour(belief.public).actions if belief.exact else ()

    def _or_blueprint(self, belief: PublicBelief) -> PublicBelief:
        """Return the belief, or that of the blueprint if its strategy knows nothing of this betting round."""
        strategy = belief.strategy
        if not isinstance(strategy, SolvedStrategy) or strategy.holdem.rules.cut is None or belief.betting.round == 0:
            return belief
        if belief.game.betting_after(strategy.public).round == belief.betting.round:
            return belief
        return self._blueprint_after(belief.public)

    def _blueprint_after(self, public: tuple[str, ...]) -> PublicBelief:
        """Return the belief of the blueprint after a public history."""
        return reduce(PublicBelief.after, public, self.blueprint_belief())

    def _menu(self, belief: PublicBelief, event: str | None) -> BetSizes:
        """Return the blueprint's bets at this table, and an action of the opponent where play is."""
        menu = {name: getattr(self.blueprint.game, name) for name in MENU_FIELDS if hasattr(self.blueprint.game, name)}
        return with_action(GameMenu(home=replace(belief.game, **menu)), belief, event)

    def _betting(self, belief: PublicBelief) -> SampledBetting:
        return SampledBetting(belief.game, self._menu(belief, None), most_bets=10)

    def _menus(self, belief: PublicBelief) -> list[BetSizes]:
        """Return bets and raises of searches from the turn on, from rich to poor."""
        return self.search.sizes(len(belief.game.board))

    def _budget(self, belief: PublicBelief) -> Budget:
        least, most = self.search.river_iterations if belief.table.last_round else self.search.turn_iterations
        return self.search.budget(self.fast, least, most)

    def _networks(self) -> LeafNetworks:
        """Return the networks beside the blueprint."""
        from counterpoise.agents.leaf_networks import read_leaf_networks

        if "networks" not in self._known:
            self._known["networks"] = read_leaf_networks(self.file, self.blueprint)
        known: LeafNetworks = self._known["networks"]
        return known


def _named_evaluators(name: str) -> Evaluators:
    """Return the leaf values that a user has registered under a name, which may have parameters."""
    if not isinstance(name, str) or parse(name)[0] not in LEAF_EVALUATORS:
        known = ", ".join((*OWN_LEAVES, *LEAF_EVALUATORS))
        raise InputError(f"modicum: leaves must be the name of a leaf evaluator ({known}), not {shown(name)}")
    evaluators: Evaluators = LEAF_EVALUATORS.build(name).at
    return evaluators
