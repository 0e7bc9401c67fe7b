"""Fitting: exact solutions of least squares, probabilities, masks and weights; the same numbers, the same weights."""

import subprocess
import sys

import numpy as np
import pytest

from counterpoise.deep import Examples, FitSettings, Fitter, MlpShape, new_network
from counterpoise.errors import Diverged, InputError

LINEAR = MlpShape(inputs=3, hidden=(), outputs=2)


def examples(count=64, seed=0):
    random = np.random.default_rng(seed)
    inputs = random.standard_normal((count, 3)).astype(np.float32)
    targets = random.standard_normal((count, 2)).astype(np.float32)
    return Examples(inputs, targets, np.ones_like(targets), np.ones(count, dtype=np.float32))


def fitter(shape=LINEAR, seed=0, **settings):
    return Fitter(new_network(shape, np.random.default_rng(seed)), FitSettings(**settings))


@pytest.mark.slow
def test_squared_errors_with_weights_find_weighted_least_squares():
    data = examples()
    counted = np.random.default_rng(5).uniform(0, 2, 64).astype(np.float32)
    fit = fitter(learning_rate=0.05, clip=0)
    fit.fit_repeatedly(data._replace(weights=counted), 1500)
    fit.fit_repeatedly(data._replace(weights=counted), 500, rate=0.001)
    columns = np.hstack([data.inputs, np.ones((64, 1), dtype=np.float32)])
    root = np.sqrt(counted)[:, None]
    expected, *_ = np.linalg.lstsq(root * columns, root * data.targets, rcond=None)
    weights, bias = fit.network.weights
    assert np.allclose(np.vstack([weights, bias]), expected, atol=2e-3)


@pytest.mark.slow
def test_masked_outputs_do_not_count():
    data = examples()
    mask = data.mask.copy()
    mask[:, 1] = 0
    before = fitter().network.weights
    fit = fitter()
    fit.fit_repeatedly(data._replace(mask=mask, targets=data.targets + 100), 40)
    after = fit.network.weights
    assert np.array_equal(after[0][:, 1], before[0][:, 1])
    assert not np.array_equal(after[0][:, 0], before[0][:, 0])


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["softmax-mse", "cross-entropy"])
def test_losses_of_probabilities_find_the_frequencies(loss):
    """With constant inputs the best probabilities are the mean targets; a masked action gets none."""
    targets = np.array([[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=np.float32)
    mask = np.tile(np.array([1, 1, 0], dtype=np.float32), (4, 1))
    data = Examples(np.ones((4, 1), dtype=np.float32), targets, mask, np.ones(4, dtype=np.float32))
    fit = fitter(MlpShape(inputs=1, hidden=(), outputs=3), loss=loss, learning_rate=0.05)
    fit.fit_repeatedly(data, 640)
    logits = fit.network(data.inputs)[0, :2]
    shares = np.exp(logits) / np.exp(logits).sum()
    assert np.allclose(shares, [0.75, 0.25], atol=0.005)


def test_huber_forgives_outliers():
    """The loss of one far example grows like its distance, not like its square."""
    data = examples(2)
    far = data._replace(targets=data.targets + np.float32(1000))
    assert 900 < fitter(loss="huber").fit_repeatedly(far, 1) < 1100


@pytest.mark.slow
def test_steps_are_the_same_however_they_are_cut():
    data = examples(70 * 8)
    batches = Examples(*(part.reshape(70, 8, *part.shape[1:]) for part in data))
    whole, cut, drawn = fitter(), fitter(), fitter()
    whole.fit(batches)
    for first, last in ((0, 1), (1, 40), (40, 70)):
        cut.fit(Examples(*(part[first:last] for part in batches)))
    given = iter(range(0, 70, 32))

    def draw(count):
        first = next(given)
        return Examples(*(part[first : first + count] for part in batches))

    drawn.fit_drawn(draw, 70)
    assert whole.steps == cut.steps == drawn.steps == 70
    assert np.array_equal(whole.network.flat(), cut.network.flat())
    assert np.array_equal(whole.network.flat(), drawn.network.flat())


def test_a_restored_fitter_continues_bit_for_bit():
    data = examples()
    one, other = fitter(), fitter(seed=9)
    one.fit_repeatedly(data, 40)
    other.restore(one.state())
    one.fit_repeatedly(data, 40)
    other.fit_repeatedly(data, 40)
    assert np.array_equal(one.network.flat(), other.network.flat())
    assert other.steps == 80


def test_what_is_not_a_number_stops_with_the_last_good_weights():
    data = examples()
    fit = fitter()
    fit.fit_repeatedly(data, 32)
    good = fit.network.flat()
    with pytest.raises(Diverged, match="diverged after 32 steps"):
        fit.fit_repeatedly(data._replace(targets=data.targets * np.float32(np.nan)), 1)
    assert np.array_equal(fit.network.flat(), good)


def test_wrong_settings_are_refused():
    with pytest.raises(InputError, match="loss must be mse, huber, softmax-mse or cross-entropy, not 'l1'"):
        FitSettings(loss="l1")


@pytest.mark.slow
def test_without_the_extra_a_sentence_says_which():
    code = """
import sys
sys.modules["jax"] = None
from importlib import machinery
find = machinery.PathFinder.find_spec
machinery.PathFinder.find_spec = lambda name, *rest: None if name == "jax" else find(name, *rest)
del sys.modules["jax"]
import numpy as np
from counterpoise.deep import Fitter, MlpShape, new_network
network = new_network(MlpShape(inputs=2, hidden=(4,), outputs=1), np.random.default_rng(0))
network(np.ones((3, 2), dtype=np.float32))  # playing needs no JAX
try:
    Fitter(network)
except ValueError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == (
        'training networks needs jax, which the extra [deep] installs: pip install "counterpoise[deep]"'
    ), done.stderr
