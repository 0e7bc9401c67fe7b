"""Bet sizes and node ids: the shared spots, published trees and sizes worked out by hand."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from counterpoise.betting.rules import CALL, FOLD, Betting
from counterpoise.betting.sizes import BetSizes, node_id, parse_size, read_node
from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, TERMINAL

FLOP, TURN, RIVER = 1, 2, 3


def sizes_of(first_round, bet, raise_=(), donk=None, **thresholds):
    """The same sizes on every street."""
    table = {"bet": bet, "raise": raise_} if donk is None else {"bet": bet, "raise": raise_, "donk": donk}
    return BetSizes.read(dict.fromkeys(("preflop", "flop", "turn", "river"), table), first_round, **thresholds)


def menu_at(betting, sizes, line="r:0"):
    return list(sizes.menu(betting, read_node(betting, line).state))


class TestPublishedTrees:
    """Trees of known size. Kinds: decisions, folds, rounds that end with and without chips behind."""

    def count(self, betting, sizes):
        """Per round the nodes of each kind, and the pots with which the first round ends."""
        nodes, pots = Counter(), set()

        def walk(state):
            if state.to_act == TERMINAL and len(state.live) == 1:
                nodes[state.round, "fold"] += 1
            elif state.to_act == TERMINAL:
                nodes[state.round, "all-in" if betting.rounds_due(state) else "showdown"] += 1
                if state.round == betting.first_round:
                    pots.add(betting.total_pot(state))
            elif state.to_act == CHANCE:
                nodes[state.round, "chips behind"] += 1
                pots.add(betting.total_pot(state))
                walk(betting.deal(state))
            else:
                nodes[state.round, "decision"] += 1
                for action in sizes.actions(betting, state):
                    walk(betting.apply(state, action))

        walk(betting.initial())
        return nodes, pots

    @pytest.mark.parametrize(
        ("first_round", "pot", "stack", "published"),
        [
            (TURN, 500, 19750, (12320, 23214, 31)),
            (TURN, 4780, 17610, (3088, 5534, 15)),
            (RIVER, 500, 19750, (32, 61, 0)),
            (RIVER, 3750, 18125, (20, 37, 0)),
        ],
        ids=["subgame 1", "subgame 2", "subgame 3", "subgame 4"],
    )
    def test_libratus_endgames(self, first_round, pot, stack, published):
        """The Libratus endgames: public decision, terminal and chance nodes.

        A turn round that ends in a call is a chance node with 48 rivers, also when both are all-in.
        """
        spot = Betting.spot(pot, stack, first_round, min_bet=100)
        nodes, _ = self.count(spot, sizes_of(first_round, ["50%", "100%", "allin"], ["100%", "allin"]))
        rivers = 48 if first_round == TURN else 1
        if first_round == TURN:
            decisions = nodes[TURN, "decision"] + rivers * nodes[RIVER, "decision"]
            leaves = nodes[RIVER, "fold"] + nodes[RIVER, "showdown"] + nodes[TURN, "all-in"]
            terminals = nodes[TURN, "fold"] + rivers * leaves
        else:
            decisions, terminals = nodes[RIVER, "decision"], nodes[RIVER, "fold"] + nodes[RIVER, "showdown"]
        chances = nodes[TURN, "chips behind"] + nodes[TURN, "all-in"]
        assert (decisions, terminals, chances) == published

    @pytest.mark.parametrize("stack", [19000, 20000])
    def test_turn_endgame_holdem(self, stack):
        """Turn endgame hold'em of Brown et al. 2020, also with the stack of 21,000, which gives the same tree."""
        spot = Betting.spot(2000, stack, TURN, min_bet=100)
        nodes, pots = self.count(spot, sizes_of(TURN, ["50%", "100%", "allin"], ["75%", "allin"]))
        assert nodes == {
            (TURN, "decision"): 28,
            (TURN, "fold"): 26,
            (TURN, "chips behind"): 13,
            (TURN, "all-in"): 14,
            (RIVER, "decision"): 156,
            (RIVER, "fold"): 130,
            (RIVER, "showdown"): 143,
        }
        assert nodes[RIVER, "showdown"] + nodes[TURN, "all-in"] == 157, "all-ins of the turn show down too"
        assert 28 + 48 * 156 == 7516
        assert len(pots) == 8, "seven with chips behind, and all-in"


class TestSharedSpots:
    """The four spots of the shared data, by hand."""

    river = Betting.spot(240, 880, RIVER)
    river_sizes = BetSizes.read({"river": {"bet": ["33%", "75%", "150%", "allin"], "raise": ["60%", "allin"]}}, RIVER)

    @pytest.mark.parametrize(
        ("line", "menu"),
        [
            ("r:0", "c b79 b180 b360 b880"),  # 79.2
            ("r:0:c", "c b79 b180 b360 b880"),
            ("r:0:b79", "f c b318 b880"),  # 79 + 0.6 * 398 = 317.8
            ("r:0:c:b79", "f c b318 b880"),
            ("r:0:b79:b318", "f c b844 b880"),  # 318 + 0.6 * 876 = 843.6
            ("r:0:b79:b318:b844", "f c b880"),  # the minimum, 844 + 526, is more than the stack
            ("r:0:b360", "f c b880"),  # 360 + 0.6 * 960 = 936
            ("r:0:b880", "f c"),
        ],
    )
    def test_river_srp(self, line, menu):
        assert menu_at(self.river, self.river_sizes, line) == menu.split()

    def test_turn_srp(self):
        sizes = BetSizes.read(
            {
                "turn": {"bet": ["50%", "120%"], "raise": ["60%"]},
                "river": {"bet": ["40%", "100%", "allin"], "raise": ["60%", "allin"]},
            },
            TURN,
        )
        spot = Betting.spot(120, 540, TURN)
        assert menu_at(spot, sizes) == ["c", "b60", "b144"]
        assert menu_at(spot, sizes, "r:0:b60") == ["f", "c", "b204"]  # 60 + 0.6 * 240
        assert menu_at(spot, sizes, "r:0:b60:c:8h") == ["c", "b156", "b300", "b540"]  # 60 + 96, 60 + 240
        assert menu_at(spot, sizes, "r:0:c:b144:b389") == ["f", "c", "b540"]  # 144 + 244.8; 389 + 538.8

    def test_flop_3bet(self):
        sizes = BetSizes.read(
            {
                "flop": {"bet": ["40%"], "raise": ["60%"]},
                "turn": {"bet": ["70%"], "raise": ["60%"]},
                "river": {"bet": ["70%", "allin"], "raise": ["allin"]},
            },
            FLOP,
        )
        spot = Betting.spot(205, 900, FLOP)
        assert menu_at(spot, sizes) == ["c", "b82"]
        assert menu_at(spot, sizes, "r:0:b82") == ["f", "c", "b303"]  # 82 + 221.4
        assert menu_at(spot, sizes, "r:0:b82:c:8h") == ["c", "b340"]  # 82 + 0.7 * 369 = 82 + 258.3
        assert menu_at(spot, sizes, "r:0:b82:c:8h:b340:c:8d") == ["c", "b900"]  # 340 + 619.5: all-in, merged

    def test_flop_srp(self):
        sizes = BetSizes.read(
            {
                "flop": {"bet": ["60%"], "raise": ["75%"]},
                "turn": {"bet": ["75%"], "raise": ["75%"]},
                "river": {"bet": ["75%"], "raise": ["allin"]},
            },
            FLOP,
        )
        spot = Betting.spot(55, 345, FLOP)
        assert menu_at(spot, sizes) == ["c", "b33"]
        assert menu_at(spot, sizes, "r:0:b33") == ["f", "c", "b124"]  # 33 + 0.75 * 121 = 33 + 90.75
        assert menu_at(spot, sizes, "r:0:b33:b124") == ["f", "c", "b345"]  # 124 + 227.25 = 351


class TestSizes:
    spot = Betting.spot(100, 400, FLOP)

    def menu(self, bet, raise_=(), line="r:0", spot=None, **options):
        spot = spot or self.spot
        return menu_at(spot, sizes_of(spot.first_round, bet, raise_, **options), line)

    @pytest.mark.parametrize(
        ("pot", "size", "label"),
        [(10, "25%", "b3"), (30, "15%", "b5"), (10, "24%", "b2"), (3, "50%", "b2"), (1001, "33.3%", "b333")],
    )
    def test_halves_are_rounded_up(self, pot, size, label):
        assert self.menu([size], spot=Betting.spot(pot, 4000, RIVER)) == ["c", label]

    def test_chips_and_multiples(self):
        assert self.menu(["20c", "50c"]) == ["c", "b20", "b50"]
        assert self.menu([], ["2.5x", "20c", "100c"], "r:0:b20") == ["f", "c", "b40", "b50", "b120"]
        assert self.menu([], ["3x"], "r:0:b50:c:8h:b70") == ["f", "c", "b110"], "3 x 20 of this street on top of 50"

    def test_minimum_is_lifted_to(self):
        assert self.menu([], ["1%", "1.5x", "5c"], "r:0:b20") == ["f", "c", "b40"]
        assert self.menu(["1%", "1c"], spot=Betting.spot(100, 400, FLOP, min_bet=10)) == ["c", "b10"]

    def test_stack_or_more_is_all_in(self):
        assert self.menu(["400%", "500%", "399c", "allin"]) == ["c", "b399", "b400"]
        assert self.menu(["allin"], ["allin"], "r:0:b400") == ["f", "c"]

    def test_unequal_stacks_are_cut_to_the_effective_one(self):
        deep = Betting((900, 400), pot=100, first_round=RIVER)
        assert self.menu(["allin", "300%"], spot=deep) == ["c", "b300", "b400"]
        assert self.menu([], ["allin"], "r:0:c:b350", spot=deep) == ["f", "c", "b700"], "the legal minimum"

    @pytest.mark.parametrize(
        ("first_round", "size", "label"),
        [
            (FLOP, "e", "b54"),  # (9 ** (1 / 3) - 1) / 2 = 0.540
            (TURN, "e", "b100"),  # (3 - 1) / 2
            (RIVER, "e", "b400"),
            (FLOP, "2e", "b100"),
            (FLOP, "1e", "b400"),
            (RIVER, "3e", "b54"),
        ],
    )
    def test_geometric_bets(self, first_round, size, label):
        assert self.menu([size], spot=Betting.spot(100, 400, first_round)) == ["c", label]

    def test_geometric_growth_ends_all_in(self):
        line = "r:0"
        for card in ("8h", "8d", ""):
            bet = menu_at(self.spot, sizes_of(FLOP, ["e"]), line)[-1]
            line += f":{bet}:c:{card}"
        assert line == "r:0:b54:c:8h:b166:c:8d:b400:c:"

    def test_geometric_raise(self):
        """After a call of 50 the pot is 200 with 350 behind: (sqrt(4.5) - 1) / 2 of it on top of 50."""
        assert self.menu([], ["e"], "r:0:b50", spot=Betting.spot(100, 400, TURN)) == ["f", "c", "b162"]

    def test_donk_sizes_serve_a_bet_into_the_last_aggressor(self):
        options = {"bet": ["50%"], "raise_": ["allin"], "donk": ["33%"]}
        assert self.menu(**options) == ["c", "b50"], "the root has no round before it"
        assert self.menu(**options, line="r:0:c:b50:c:8h") == ["c", "b116"]
        assert self.menu(**options, line="r:0:c:b50:c:8h:c") == ["c", "b150"]
        assert self.menu(**options, line="r:0:b50:c:8h") == ["c", "b150"], "the bettor bets again"
        assert self.menu(**options, line="r:0:c:c:8h") == ["c", "b50"]
        assert self.menu(["50%"], donk=[], line="r:0:c:b50:c:8h") == ["c"], "an empty list: no donk bets"
        assert self.menu(["50%"], line="r:0:c:b50:c:8h") == ["c", "b150"], "without donk sizes the bet sizes serve"

    def test_sizes_per_player(self):
        bet = {"oop": ["33%"], "ip": ["75%", "allin"]}
        assert self.menu(bet) == ["c", "b33"]
        assert self.menu(bet, line="r:0:c") == ["c", "b75", "b400"]
        assert self.menu(["50%"], {"oop": [], "ip": ["3x"]}, "r:0:b50") == ["f", "c", "b150"]
        assert self.menu(["50%"], {"oop": [], "ip": ["3x"]}, "r:0:c:b50") == ["f", "c"]

    def test_before_the_flop(self):
        """An open of 3x is three big blinds; a pot-sized raise of the small blind is to 3 big blinds too."""
        hunl = Betting((20000, 20000), blinds=(50, 100))
        sizes = sizes_of(0, ["50%"], ["3x", "100%"])
        assert menu_at(hunl, sizes) == ["f", "c", "b300"]
        assert menu_at(hunl, sizes, "r:0:c") == ["c", "b300"], "the big blind's option is a raise"
        assert menu_at(hunl, sizes, "r:0:b300") == ["f", "c", "b900"]
        assert menu_at(hunl, sizes, "r:0:b300:c:8hQsTd") == ["c", "b600"]

    def test_limit_knows_one_size(self):
        limit = Betting((100, 100), blinds=(1, 2), limit=(2, 2, 4, 4), max_bets=(4,) * 4)
        assert menu_at(limit, sizes_of(0, ["50%", "allin"], ["allin", "3x"])) == ["f", "c", "b4"]

    def test_add_allin(self):
        assert self.menu(["50%"], add_allin=4) == ["c", "b50", "b400"]
        assert self.menu(["50%"], add_allin=3.9) == ["c", "b50"]
        assert self.menu([], [], "r:0:b100", add_allin=1) == ["f", "c", "b400"], "300 more into a pot of 300"

    def test_force_allin(self):
        """A bet of 300 into 100 leaves 100 behind and makes the pot 700."""
        assert self.menu(["300%"], force_allin=0.15) == ["c", "b400"]
        assert self.menu(["300%"], force_allin=0.14) == ["c", "b300"]

    def test_merge(self):
        """From the largest down: 2.0 / 1.9 <= 1.1 drops 90 %, 2.0 / 1.5 > 1.1 keeps 50 %."""
        assert self.menu(["50%", "90%", "100%"], merge=0.1) == ["c", "b50", "b100"]
        assert self.menu(["50%", "90%", "100%"]) == ["c", "b50", "b90", "b100"]

    @settings(suppress_health_check=[HealthCheck.too_slow])  # a busy machine draws slowly
    @given(st.data())
    def test_every_action_is_legal_and_sorted(self, data):
        words = st.sampled_from(["1%", "33%", "75%", "150%", "1000%", "7c", "900c", "e", "2e", "allin"])
        raising = st.one_of(words, st.sampled_from(["1.1x", "3x"]))
        whole = st.integers
        seats = data.draw(whole(2, 5))
        betting = Betting(
            tuple(data.draw(st.lists(whole(1, 500), min_size=seats, max_size=seats))),
            blinds=data.draw(st.sampled_from([(0, 0), (5, 10)])),
            ante=data.draw(whole(0, 3)),
        )
        sizes = sizes_of(0, data.draw(st.lists(words)), data.draw(st.lists(raising)), donk=data.draw(st.lists(words)))
        state = betting.initial()
        steps = []
        cards = iter([["8hQsTd"], ["2c"], ["Ah"]])
        while state.to_act != TERMINAL:
            if state.to_act == CHANCE:
                steps += next(cards)
                state = betting.deal(state)
                continue
            actions = sizes.actions(betting, state)
            assert list(actions) == sorted(set(actions))
            assert all(action <= CALL or state.min_raise <= action <= state.max_raise for action in actions)
            steps.append(data.draw(st.sampled_from(actions)))
            state = betting.apply(state, steps[-1])
        node = read_node(betting, node_id(steps), sizes)
        assert (node.state, list(node.steps)) == (state, steps)


class TestNodeIds:
    spot = Betting.spot(100, 400, TURN)

    def test_amounts_are_totals_since_the_root(self):
        node = read_node(self.spot, "r:0:b50:c:8h:c:b250")
        assert node.state.paid == (50, 250)
        assert (node.state.round, node.state.to_act, node.cards) == (RIVER, 0, ("8h",))
        assert node_id(node.steps) == "r:0:b50:c:8h:c:b250"

    def test_run_out_after_an_all_in(self):
        flop = Betting.spot(100, 400, FLOP)
        assert read_node(flop, "r:0:b400:c:8h:Ad").cards == ("8h", "Ad")
        with pytest.raises(InputError, match="the hand is over"):
            read_node(flop, "r:0:b400:c:8h:Ad:c")
        with pytest.raises(InputError, match="the hand is over"):
            read_node(flop, "r:0:b400:f:c")

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", "must start with r:0"),
            ("r", "must start with r:0"),
            ("r:1:c", "must start with r:0"),
            ("r:0:", "'' is no action"),
            ("r:0:x", '\'x\' is no action: write "f", "c" or "b" and the total in chips'),
            ("r:0:b-5", "'b-5' is no action"),
            ("r:0:b0", "'b0' is no action"),
            ("r:0:f", "'f' cannot follow: seat 0 cannot fold"),
            ("r:0:b500", "'b500' cannot follow: seat 0 cannot bet to 500 chips: it may bet to 1 to 400"),
            ("r:0:c:c:c", "a card such as 8h is due where 'c' stands"),
            ("r:0:c:c:8x", "a card such as 8h is due where '8x' stands"),
            ("r:0:c:8h", "'8h' is no action"),
        ],
    )
    def test_errors(self, text, words):
        with pytest.raises(InputError) as error:
            read_node(self.spot, text)
        assert words in str(error.value)
        assert repr(text) in str(error.value)

    def test_cards_are_dealt_once(self):
        with pytest.raises(InputError, match="8h is dealt twice"):
            read_node(Betting.spot(100, 400, FLOP), "r:0:c:c:8h:c:c:8h")
        with pytest.raises(InputError, match="3 cards such as 8hQsTd are due where '8hQs' stands"):
            read_node(Betting((100, 100), blinds=(1, 2)), "r:0:c:c:8hQs")

    def test_bets_outside_the_tree(self):
        sizes = sizes_of(TURN, ["50%", "allin"])
        assert read_node(self.spot, "r:0:b50", sizes).state.paid == (50, 0)
        with pytest.raises(InputError, match="'b51' is not in the tree here, only c, b50, b400"):
            read_node(self.spot, "r:0:b51", sizes)


class TestErrors:
    @pytest.mark.parametrize(
        ("field", "word", "words"),
        [
            ("bet", "fifty", "turn.bet: 'fifty' is not a bet size: write \"50%\""),
            ("bet", 50, "turn.bet: 50 is not a bet size"),
            ("bet", "50", "turn.bet: '50' is not a bet size"),
            ("bet", "-50%", "turn.bet: '-50%' must be above 0"),
            ("bet", "0%", "turn.bet: '0%' must be above 0"),
            ("raise", "0.0x", "turn.raise: '0.0x' must be above 0"),
            ("raise", "1x", "turn.raise: '1x' must be above 1x"),
            ("bet", "3x", "turn.bet: '3x' multiplies the bet faced, so it belongs to raises"),
            ("donk", "3x", "turn.donk: '3x' multiplies the bet faced"),
            ("donk", "2.5c", "turn.donk: '2.5c' must be a whole number of chips"),
            ("bet", "0e", "turn.bet: '0e' must count 1 to 4 streets"),
            ("bet", "1e5%", "turn.bet: '1e5%' is not a bet size"),
            ("bet", "٥٠%", "is not a bet size"),
        ],
    )
    def test_words(self, field, word, words):
        with pytest.raises(InputError) as error:
            BetSizes.read({"turn": {field: [word]}, "river": {}}, TURN)
        assert words in str(error.value)

    @pytest.mark.parametrize(
        ("tables", "words"),
        [
            ({"turn": {}}, "river must be given"),
            ({"turn": [], "river": {}}, "turn must be a table"),
            ({"turn": {"raises": []}, "river": {}}, "turn has no field 'raises': did you mean raise?"),
            ({"turn": {"bet": "50%"}, "river": {}}, "turn.bet must be a list of sizes"),
            ({"turn": {"bet": {"oop": ["50%"]}}, "river": {}}, "turn.bet must be a list of sizes, or a table"),
            ({"turn": {"bet": {"oop": ["50%"], "ip": ["x"]}}, "river": {}}, "turn.bet.ip: 'x' is not a bet size"),
        ],
    )
    def test_tables(self, tables, words):
        with pytest.raises(InputError) as error:
            BetSizes.read(tables, TURN)
        assert words in str(error.value)

    def test_thresholds(self):
        with pytest.raises(InputError, match="merge must be a number, 0 or more"):
            BetSizes((), merge=-1)

    def test_a_street_without_sizes(self):
        sizes = BetSizes.read({"turn": {"bet": ["50%"]}}, TURN, rounds=3)
        spot = Betting.spot(100, 400, TURN)
        assert sizes.actions(spot, spot.initial()) == (CALL, 50)
        with pytest.raises(InputError, match="no bet sizes are given for round 3"):
            sizes.actions(spot, read_node(spot, "r:0:c:c:8h").state)

    def test_parse_size_trims_and_ignores_case(self):
        assert parse_size(" AllIn ") == parse_size("allin")
        assert parse_size(".5%") == parse_size("0.5%")


def test_fold_comes_first():
    spot = Betting.spot(100, 400, RIVER)
    assert sizes_of(RIVER, ["50%"]).actions(spot, read_node(spot, "r:0:b50").state) == (FOLD, CALL)
