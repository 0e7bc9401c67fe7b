"""OpenSpiel's games through the adapter: their structure, their values, and the policies that go back."""

import subprocess
import sys

import pytest

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL, check_game, is_observed, openspiel as adapter
from counterpoise.games.openspiel import from_openspiel, to_openspiel_policy

pyspiel = pytest.importorskip("pyspiel")

GAMES = {
    # name: nodes, infosets of each player, sum
    "kuhn_poker": (58, (6, 6), "zero-sum"),
    "kuhn_poker(players=3)": (617, (16, 16, 16), "zero-sum"),
    "leduc_poker(suit_isomorphism=True)": (None, (144, 144), "zero-sum"),
    "liars_dice(dice_sides=3)": (1147, (96, 96), "zero-sum"),
    "goofspiel(num_cards=3,imp_info=True)": (None, None, "zero-sum"),
    "goofspiel(num_cards=4,imp_info=True,points_order=descending)": (1077, (81, 81), "zero-sum"),
    "matrix_rps": (13, (1, 1), "zero-sum"),
    "matrix_pd": (7, (1, 1), "general-sum"),
    "matching_pennies_3p": (15, (1, 1, 1), "general-sum"),
    "oshi_zumo(coins=3,size=1,horizon=3)": (None, None, "zero-sum"),
    "dark_hex(board_size=2)": (441, (33, 101), "zero-sum"),
    "tiny_hanabi": (None, (2, 6), "general-sum"),
    "lewis_signaling": (40, (3, 3), "general-sum"),
    "coordinated_mp": (15, (1, 2), "zero-sum"),
    "first_sealed_auction(max_value=4)": (None, (4, 4), "general-sum"),
    "sheriff(max_bribe=1,max_items=1,num_rounds=1)": (None, None, "general-sum"),
    "misere(game=kuhn_poker())": (58, (6, 6), "zero-sum"),
    "pig(winscore=3,diceoutcomes=2,horizon=6)": (None, None, "zero-sum"),
    "python_kuhn_poker": (58, (6, 6), "zero-sum"),
}


def decisions(game):
    """Every decision of a player, and the value of uniform play with it."""
    found, values = [], [0.0] * game.players
    stack = [(game.initial(), 1.0)]
    while stack:
        state, reach = stack.pop()
        player = game.player(state)
        if player == TERMINAL:
            values = [value + reach * payoff for value, payoff in zip(values, game.payoffs(state), strict=True)]
            continue
        if player == CHANCE:
            moves = game.chance(state)
        else:
            moves = [(action, 1 / len(game.actions(state))) for action in game.actions(state)]
            found.append(state)
        stack += [(game.next(state, action), reach * chance) for action, chance in moves]
    return found, values


def uniform_returns(state):
    """Expected returns of uniform play, by recursion over OpenSpiel's own states."""
    if state.is_terminal():
        return state.returns()
    if state.is_chance_node():
        moves = state.chance_outcomes()
    else:
        moves = [(action, 1 / len(state.legal_actions())) for action in state.legal_actions()]
    parts = [[chance * value for value in uniform_returns(state.child(action))] for action, chance in moves]
    return [sum(values) for values in zip(*parts, strict=True)]


@pytest.mark.parametrize("name", GAMES)
def test_structure_and_value_of_uniform_play(name):
    game = from_openspiel(name)
    nodes, infosets, kind = GAMES[name]
    report = check_game(game)
    assert report.complete
    assert report.nodes == (nodes or report.nodes)
    assert report.infosets == (infosets or report.infosets)
    assert report.sum == kind

    assert decisions(game)[1] == pytest.approx(uniform_returns(game.spiel.new_initial_state()), abs=1e-12)
    if game.has_information_states:
        policy = pyspiel.UniformRandomPolicy(game.spiel)
        assert len(policy.policy_table()) == sum(report.infosets)
        expected = pyspiel.expected_returns(game.spiel.new_initial_state(), policy, -1, True)
        assert decisions(game)[1] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", GAMES)
def test_name_loads_the_same_game_again(name):
    game = from_openspiel(name)
    assert game.name.startswith("openspiel:")
    assert str(game) == game.name
    again = from_openspiel(game.name)
    assert again.name == game.name
    assert str(again.spiel) == str(game.spiel)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("kuhn_poker", "openspiel:kuhn_poker"),
        ("kuhn_poker()", "openspiel:kuhn_poker"),
        (" openspiel:kuhn_poker( players = 3 ) ", "openspiel:kuhn_poker(players=3)"),
        ("goofspiel(num_cards=4, imp_info=True)", "openspiel:goofspiel(imp_info=True,num_cards=4)"),
        ("restricted_nash_response(game=kuhn_poker())", "openspiel:restricted_nash_response(game=kuhn_poker())"),
    ],
)
def test_spellings(text, name):
    assert from_openspiel(text).name == name


def test_loaded_game_instead_of_a_name():
    game = from_openspiel(pyspiel.load_game("goofspiel", {"num_cards": 3, "imp_info": True}))
    assert game.name == "openspiel:goofspiel(imp_info=True,num_cards=3)"
    assert repr(game) == "from_openspiel('goofspiel(imp_info=True,num_cards=3)')"
    assert game.spiel.get_type().short_name == "turn_based_simultaneous_game"


def test_kuhn_reads_as_openspiel_writes_it():
    game = from_openspiel("kuhn_poker")
    deal = game.initial()
    assert game.player(deal) == CHANCE
    assert game.chance(deal) == [("Deal:0", 1 / 3), ("Deal:1", 1 / 3), ("Deal:2", 1 / 3)]
    state = game.next(game.next(deal, "Deal:0"), "Deal:2")
    assert game.player(state) == 0
    assert game.actions(state) == ("Pass", "Bet")
    assert game.infoset(state) == "0"
    state = game.next(game.next(state, "Pass"), "Bet")
    assert game.infoset(state) == "0pb"
    end = game.next(state, "Bet")
    assert game.player(end) == TERMINAL
    assert game.payoffs(end) == (-2.0, 2.0)
    assert game.player(state) == 0
    assert str(end) == "0 2 pbb"


def test_simultaneous_moves_are_hidden():
    game = from_openspiel("matrix_rps")
    seen = {game.infoset(game.next(game.initial(), action)) for action in game.actions(game.initial())}
    assert len(seen) == 1


def test_perfect_information_without_information_states():
    game = from_openspiel("pig(winscore=3,diceoutcomes=2,horizon=6)")
    assert not game.has_information_states
    assert game.infoset(game.next(game.initial(), game.actions(game.initial())[0])) != game.infoset(game.initial())
    with pytest.raises(InputError, match="has no information states in OpenSpiel, so it can have no policy there"):
        to_openspiel_policy(game, {})


class Twin:
    """A state whose actions have few names."""

    def current_player(self):
        return 0

    def legal_actions(self):
        return [3, 5, 8, 9]

    def action_to_string(self, player, action):
        return {3: "a", 5: "a", 8: "b", 9: "a (5)"}[action]


@pytest.mark.parametrize("name", ["kuhn_poker(players=3)", "leduc_poker", "coordinated_mp", "tic_tac_toe"])
def test_what_is_seen_where_openspiel_says_it(name):
    game = from_openspiel(name)
    assert is_observed(game)
    check_game(game, max_nodes=5000)


def test_public_events_and_private_strings():
    game = from_openspiel("kuhn_poker")
    state = game.initial()
    for step in ("Deal:1", "Deal:2", "Bet"):
        state = game.next(state, step)
    assert [game.private(state, seat) for seat in (0, 1)] == ["1", "2"]
    assert game.public(state) == ("Deal to player 0", "Deal to player 1", "b")
    game = from_openspiel("tic_tac_toe")
    state = game.next(game.next(game.initial(), "x(1,1)"), "o(0,0)")
    assert (game.public(state), game.private(state, 0)) == (("x(1,1)", "o(0,0)"), "")


def test_games_without_observers_are_not_observed():
    assert not is_observed(from_openspiel("liars_dice(dice_sides=3)"))
    assert not is_observed(from_openspiel("matrix_rps")), "simultaneous moves"


def test_actions_with_equal_names_get_their_id():
    assert adapter.OpenSpielState(Twin()).ids == {"a (3)": 3, "a (5)'": 5, "b": 8, "a (5)": 9}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("kuhn", "unknown OpenSpiel game 'kuhn': did you mean kuhn_poker?"),
        ("nosuch", "unknown OpenSpiel game 'nosuch': the nearest of "),
        ("kuhn_pokr(players=3)", "unknown OpenSpiel game 'kuhn_pokr': did you mean kuhn_poker"),
        ("python_kuhn", "did you mean python_kuhn_poker"),
        ("kuhn_poker(players=3", "'kuhn_poker(players=3' cannot be read: write name(key=value,...)"),
        ("kuhn_poker(players=3)x", "'kuhn_poker(players=3)x' cannot be read: write name(key=value,...)"),
        (
            "kuhn_poker(player=3)",
            "OpenSpiel cannot load 'kuhn_poker(player=3)': unknown parameter 'player': did you mean players?",
        ),
        ("kuhn_poker(players)", "OpenSpiel cannot load 'kuhn_poker(players)': parameter 'players' has no value"),
        (
            "matrix_rps(x=1)",
            "OpenSpiel cannot load 'matrix_rps(x=1)': unknown parameter 'x': the game takes no parameters",
        ),
        (
            "kuhn_poker(players=x)",
            "OpenSpiel cannot load 'kuhn_poker(players=x)': parameter 'players' must be of type int, not x",
        ),
        (
            "kuhn_poker(players=99)",
            "OpenSpiel cannot load 'kuhn_poker(players=99)': num_players_ <= kGameType.max_num_players does not hold "
            "(num_players_ = 99, kGameType.max_num_players = 10)",
        ),
        ("misere", "OpenSpiel cannot load 'misere': Missing parameter game"),
        (
            "bridge_uncontested_bidding",
            "bridge_uncontested_bidding() only samples its chance outcomes, but a game tree needs their probabilities",
        ),
        ("mfg_crowd_modelling", "is a mean-field game, which has no finite game tree of its own"),
        ("dou_dizhu", "dou_dizhu() has no information states in OpenSpiel (no information_state_string)"),
        ("markov_soccer", "markov_soccer() has no information states in OpenSpiel (no information_state_string)"),
        (7, "from_openspiel takes the name of a game or a pyspiel.Game, not 7"),
        ("", "unknown OpenSpiel game ''"),
    ],
)
def test_refusals(name, sentence):
    with pytest.raises(InputError) as caught:
        from_openspiel(name)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_refusal_prints_nothing_of_its_own():
    program = (
        "from counterpoise.games.openspiel import from_openspiel\n"
        "try:\n    from_openspiel('kuhn_poker(players=99)')\n"
        "except ValueError as error:\n    import sys; print(error, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert done.stderr.startswith("OpenSpiel cannot load")
    assert done.stderr.count("\n") == 1


def test_imperfect_recall_of_openspiel_is_found():
    with pytest.raises(InputError, match="imperfect recall"):
        check_game(from_openspiel("liars_dice_ir(dice_sides=3)"))


def test_without_openspiel(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(InputError) as caught:
        from_openspiel("kuhn_poker")
    assert str(caught.value) == 'OpenSpiel is not installed: this needs `pip install "counterpoise[openspiel]"`'


def last_action_mostly(game):
    """A strategy that is not symmetric: 0.7 on the last action, the rest shared."""
    strategy = {}
    for state in decisions(game)[0]:
        actions = game.actions(state)
        row = {action: 0.3 / (len(actions) - 1) if len(actions) > 1 else 0.0 for action in actions}
        row[actions[-1]] = 0.7 if len(actions) > 1 else 1.0
        strategy[game.player(state), game.infoset(state)] = row
    return strategy


def value(game, strategy):
    values, stack = [0.0] * game.players, [(game.initial(), 1.0)]
    while stack:
        state, reach = stack.pop()
        player = game.player(state)
        if player == TERMINAL:
            values = [total + reach * payoff for total, payoff in zip(values, game.payoffs(state), strict=True)]
            continue
        moves = game.chance(state) if player == CHANCE else strategy[player, game.infoset(state)].items()
        stack += [(game.next(state, action), reach * chance) for action, chance in moves]
    return values


@pytest.mark.parametrize(
    "name",
    [
        "kuhn_poker(players=3)",
        "leduc_poker(suit_isomorphism=True)",
        "liars_dice(dice_sides=3)",
        "goofspiel(num_cards=3,imp_info=True)",
        "matrix_rps",
        "dark_hex(board_size=2)",
    ],
)
def test_policy_has_the_value_of_the_strategy(name):
    game = from_openspiel(name)
    strategy = last_action_mostly(game)
    policy = to_openspiel_policy(game, strategy)
    assert len(policy.policy_table()) == len(strategy)
    expected = pyspiel.expected_returns(game.spiel.new_initial_state(), policy, -1, True)
    assert value(game, strategy) == pytest.approx(expected, abs=1e-12)


def test_policy_of_some_infosets():
    game = from_openspiel("kuhn_poker")
    policy = to_openspiel_policy(game, {(0, "0"): {"Bet": 1.0}, (1, "2b"): {"Pass": 0.25, "Bet": 0.75}})
    assert policy.policy_table() == {"0": [(0, 0.0), (1, 1.0)], "2b": [(0, 0.25), (1, 0.75)]}


@pytest.mark.parametrize(
    ("strategy", "sentence"),
    [
        ({(1, "0"): {"Bet": 1.0}}, "openspiel:kuhn_poker has no infoset '0' of player 1"),
        (
            {(0, "0"): {"Bett": 1.0}},
            "infoset '0' of openspiel:kuhn_poker has no action 'Bett': did you mean Bet?",
        ),
    ],
)
def test_policy_refuses_what_the_game_does_not_have(strategy, sentence):
    with pytest.raises(InputError) as caught:
        to_openspiel_policy(from_openspiel("kuhn_poker"), strategy)
    assert str(caught.value) == sentence


def test_policy_refuses_two_strategies_under_one_label():
    game = from_openspiel("phantom_ttt")
    state = game.initial()
    first = (0, game.infoset(state))
    moves = dict.fromkeys(game.actions(state), 1 / 9)
    state = game.next(state, game.actions(state)[0])
    second = (1, game.infoset(state))
    assert first[1] == second[1]
    with pytest.raises(InputError, match="two players of openspiel:phantom_ttt share the infoset"):
        to_openspiel_policy(game, {first: moves, second: {game.actions(state)[0]: 1.0}})
