"""Networks: what NumPy and compiled layers compute is what JAX differentiates; files bring back the same weights."""

import numpy as np
import pytest

from counterpoise.deep import MlpShape, Network, Trained, load_networks, new_network
from counterpoise.deep.jax import require_jax
from counterpoise.errors import InputError
from counterpoise.store import read_cpz, write_cpz

require_jax()
import jax.numpy as jnp  # noqa: E402

SHAPES = [
    MlpShape(inputs=5, hidden=(), outputs=3),
    MlpShape(inputs=5, hidden=(16, 16, 16), outputs=3, skips=True),
    MlpShape(inputs=5, hidden=(16, 16, 16), outputs=3, skips=True, normalisation="last"),
    MlpShape(inputs=5, hidden=(32, 16), outputs=4, activation="gelu", normalisation="layer"),
    MlpShape(inputs=5, hidden=(16, 16), outputs=4, activation="gelu", normalisation="layer", skips=True),
]


def trained_like(shape, seed=1):
    """A network none of whose weights is what it began with."""
    random = np.random.default_rng(seed)
    begun = new_network(shape, random)
    return begun.with_flat(begun.flat() + random.standard_normal(begun.weight_count).astype(np.float32) / 4)


@pytest.mark.parametrize("shape", SHAPES)
def test_compiled_layers_compute_what_is_differentiated(shape):
    network = trained_like(shape)
    rows = (3 * np.random.default_rng(2).standard_normal((1500, 5))).astype(np.float32)
    expected = np.asarray(shape.traced_outputs([jnp.asarray(part) for part in network.weights], rows))
    assert np.allclose(network(rows), expected, atol=2e-5 * np.abs(expected).max())
    assert network(rows[:0]).shape == (0, shape.outputs)


def test_first_outputs_are_small_with_a_small_head():
    network = new_network(MlpShape(inputs=5, hidden=(64,), outputs=2, head_scale=0.01), np.random.default_rng(0))
    rows = np.random.default_rng(1).standard_normal((100, 5)).astype(np.float32)
    assert 0 < np.abs(network(rows)).max() < 0.1


def test_weights_as_one_vector_and_back():
    network = trained_like(SHAPES[3])
    again = network.with_flat(network.flat())
    assert all(np.array_equal(a, b) for a, b in zip(again.weights, network.weights, strict=True))
    with pytest.raises(InputError, match="3 weights are given for"):
        network.with_flat(np.zeros(3, dtype=np.float32))


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"inputs": 0}, "inputs must be a whole number from 1 to 65536, not 0"),
        ({"hidden": 64}, "hidden must be a list of widths, not 64"),
        ({"activation": "tanh"}, "activation must be relu or gelu, not 'tanh'"),
        ({"normalisation": "batch"}, "normalisation must be none, layer or last, not 'batch'"),
    ],
)
def test_wrong_shapes_are_refused(fields, sentence):
    with pytest.raises(InputError, match=sentence):
        MlpShape(**{"inputs": 5, "hidden": (8,), "outputs": 2} | fields)


def test_files_bring_back_the_same_networks(tmp_path):
    file = tmp_path / "nets.cpz"
    networks = {"value0": trained_like(SHAPES[2]), "policy": trained_like(SHAPES[4], 3)}
    Trained("leduc_poker", "deep-cfr", networks, {"iterations": 7}).save(file)
    found = load_networks(file)
    assert (found.game, found.method, found.made) == ("leduc_poker", "deep-cfr", {"iterations": 7})
    for name, network in networks.items():
        assert found.networks[name].shape == network.shape
        assert np.array_equal(found.networks[name].flat(), network.flat())


def test_damaged_files_are_refused_in_a_sentence(tmp_path):
    file = tmp_path / "nets.cpz"
    Trained("leduc_poker", "deep-cfr", {"value": trained_like(SHAPES[0])}).save(file)
    header, arrays = read_cpz(file)
    for change, sentence in (
        ({"networks_version": 9}, "has networks of version 9; this program reads up to 2"),
        ({"networks": {"value": {"kind": "transformer"}}}, "a network of an unknown kind, 'transformer'"),
        ({"networks": {"value": {"kind": "mlp", "inputs": 5}}}, "is damaged"),
        ({"networks": {"value": header["networks"]["value"] | {"skips": []}}}, "skips must be true or false"),
        ({"networks": {"value": header["networks"]["value"] | {"outputs": 4}}}, "'networks0' must have the shape"),
    ):
        write_cpz(file, "networks", header | change, arrays)
        with pytest.raises(InputError, match=sentence):
            load_networks(file)
    for change, sentence in (
        ({"networks0": np.full_like(arrays["networks0"], np.nan)}, "'networks0' holds numbers that are not finite"),
        ({"networks0": arrays["networks0"].astype(np.float64)}, "'networks0' must hold float32"),
        ({"networks0": arrays["networks0"][:0]}, "'networks0' must have the shape"),
    ):
        write_cpz(file, "networks", header, arrays | change)
        with pytest.raises(InputError, match=f"is damaged: .*{sentence}"):
            load_networks(file)
    write_cpz(file, "networks", header, {})
    with pytest.raises(InputError, match=r"is damaged: .*'networks0'"):
        load_networks(file)


def test_a_file_holds_the_networks_of_a_thousand_iterations(tmp_path):
    """The mixture of a long run has many more networks than a file has arrays."""
    file, shape = tmp_path / "nets.cpz", MlpShape(inputs=1, hidden=(2,), outputs=1)
    networks = {f"player{k % 2}-{k // 2}": trained_like(shape, k) for k in range(2000)}
    Trained("kuhn_poker", "single-deep-cfr", networks | {"other": trained_like(SHAPES[0])}).save(file)
    found = load_networks(file).networks
    assert list(found) == [*networks, "other"]
    assert all(np.array_equal(found[name].flat(), network.flat()) for name, network in networks.items())


def test_files_of_the_first_version_are_read(tmp_path):
    """In which every array of weights was an array of the file."""
    file, network = tmp_path / "nets.cpz", trained_like(SHAPES[2])
    Trained("leduc_poker", "deep-cfr", {"value": network}).save(file)
    header, _ = read_cpz(file)
    parts = zip(network.shape.parts(), network.weights, strict=True)
    apart = {f"value.{part.name}": weights for part, weights in parts}
    write_cpz(file, "networks", header | {"networks_version": 1}, apart)
    assert np.array_equal(load_networks(file).networks["value"].flat(), network.flat())
    write_cpz(file, "networks", header | {"networks_version": 1}, apart | {"value.head": apart["value.head"][:1]})
    with pytest.raises(InputError, match=r"is damaged: .*'value\.head'"):
        load_networks(file)


def test_a_network_is_its_shape_and_weights():
    shape = MlpShape(inputs=2, hidden=(3,), outputs=1)
    weights = tuple(np.ones(part.size, dtype=np.float32) for part in shape.parts())
    # Three units of relu(x0 + x1 + 1), summed, plus 1.
    assert Network(shape, weights)(np.array([[1, 2], [-5, 1]], dtype=np.float32)).tolist() == [[13.0], [1.0]]
