"""Regrets as whole numbers: cut to multiples of 1 / scale, and written as bits of a prefix code.

A *segment* is what one seat has of a street tree on a board: rows of hands, one for each action. Hands of a row stand
in the order of strength on the last street, so that neighbours have similar regrets (Johanson 2016, chapter 9). Of
hands that suits make alike on the board only the first, their *head*, is written. A row becomes tokens:

- the difference d to the neighbour, as u = 2 d, or -2 d - 1 if it is negative: its number of bits, and the bits below
  the highest;
- or a run of at least two hands with the regret of the one before: the number of bits of its length, and those below.

The numbers of bits are the *symbols*. They are written by a Huffman code for each *context*, which is what the
neighbours before were like; all other bits are written as they are.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import config, njit, types
from numba.extending import intrinsic

from counterpoise.kernels.options import LEAN

BEGIN, ROWS, STRIDE, HELD, HEADS, FIRST = range(6)
"""Columns of segments: first entry, rows, their length, their hands, those written, and where a board's hands begin."""
MOST = np.int32(2**30)
"""Regrets stop growing here, in units of 1 / scale; differences of two then fit 32 bits."""
RUN = np.uint64(32)
"""A run of 2^c hands or more has the symbol RUN + c."""
SYMBOLS = 48
CONTEXTS = 40
CODE_BITS = 10
"""Bits of a code at most."""
_0_F32, _MOST_F32 = np.float32(0.0), np.float32(2.0**30)
_0, _1, _2, _4, _6, _63, _64 = (np.uint64(k) for k in (0, 1, 2, 4, 6, 63, 64))
_SYMBOLS, _CODE_BITS, _RUN_CONTEXT = np.uint64(SYMBOLS), np.uint64(CODE_BITS), np.uint64(19)
_LARGEST = np.uint64(18)
_LENGTH, _EXTRA = np.uint64(15), np.uint64(63)
_TOKEN = np.uint64(CODE_BITS + 31)
"""Bits of a token at most."""


@intrinsic
def bit_length(typing_context, number):
    """Return the number of bits of an unsigned number of 64 bits, 0 for 0."""
    signature = types.uint64(types.uint64)

    def generate(context, builder, sig, args):
        zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(ir.IntType(64), 64), zeros)

    return signature, generate


def _bit_length_in_python(number):
    """Return the number of bits of an unsigned number, 0 for 0."""
    return np.uint64(int(number).bit_length())


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    bit_length = _bit_length_in_python  # type: ignore[assignment]


@njit(inline="always", **LEAN)
def _context(last, before, previous):
    """Return the context: the longer of the last two differences in bits, or a run; whether the last regret is 0."""
    size = min(max(last, before), _LARGEST) if last != _RUN_CONTEXT else _RUN_CONTEXT
    return size * _2 + (_1 if previous == np.int64(0) else _0)


@njit(**LEAN)
def to_tokens(values, segments, scales, heads, row, tokens, counts):
    """Write max(0, trunc(scale x value)) as tokens and count them; return how many there are, and how many were cut.

    Scales are powers of two, so that only the cut to whole numbers rounds. ``heads[first:]`` are the hands of a board
    that are written; ``counts[context * SYMBOLS + symbol]`` is added to. A token is the bits that are written as they
    are, how many, and the place of its symbol in the counts.
    """
    written, cut = _0, np.int64(0)
    for segment in range(np.uint64(segments.shape[0])):
        stride, count, first = segments[segment, STRIDE], segments[segment, HEADS], segments[segment, FIRST]
        scale = scales[segment]
        for number in range(segments[segment, ROWS]):
            begin = segments[segment, BEGIN] + number * stride
            # R = max(0, trunc(scale R)): truncated towards zero, never below it, and never above MOST.
            some = np.int32(0)
            for k in range(count):
                whole = np.int32(min(max(values[begin + np.uint64(heads[first + k])] * scale, _0_F32), _MOST_F32))
                cut += np.int64(whole >= MOST)
                some |= whole
                row[k] = whole
            previous, last, before, j = np.int64(0), _0, _0, _0
            # A row of zeros is one run.
            if some == np.int32(0) and count > _1:
                bits = bit_length(count) - _1
                place = _context(last, before, previous) * _SYMBOLS + RUN + bits
                tokens[written] = (count - (_1 << bits)) << np.uint64(32) | bits << np.uint64(16) | place
                counts[place] += np.int64(1)
                written += _1
                continue
            while j < count:
                step = np.int64(row[j]) - previous
                place = _context(last, before, previous) * _SYMBOLS
                end = j + _1
                if step == np.int64(0):
                    while end < count and np.int64(row[end]) == previous:
                        end += _1
                if end - j > _1:
                    # A run of hands with the same regret.
                    bits = bit_length(end - j) - _1
                    place += RUN + bits
                    tokens[written] = (end - j - (_1 << bits)) << np.uint64(32) | bits << np.uint64(16) | place
                    last, before = _RUN_CONTEXT, _0
                else:
                    # A difference, its sign in the lowest bit.
                    folded = np.uint64((step << np.int64(1)) ^ (step >> np.int64(63)))
                    size: np.uint64 = bit_length(folded)
                    bits = size - _1 if size > _0 else _0
                    place += size
                    rest = folded ^ (_1 << bits) if size > _0 else _0
                    tokens[written] = rest << np.uint64(32) | bits << np.uint64(16) | place
                    last, before = size, _0 if last == _RUN_CONTEXT else last
                    previous += step
                counts[place] += np.int64(1)
                written += _1
                j = end
    return written, cut


@njit(**LEAN)
def code_lengths(counts, weights, parents, lengths):
    """Write the lengths of a Huffman code of at most CODE_BITS bits for the symbols of every context.

    ``weights`` and ``parents`` are scratch for 2 x SYMBOLS numbers. Where a code is too long the counts are halved,
    which makes the rare ones more alike, and it is made again.
    """
    for context in range(CONTEXTS):
        base = context * SYMBOLS
        halvings = 0
        while True:
            # The symbols that occur are the leaves.
            left = 0
            for symbol in range(SYMBOLS):
                number = counts[base + symbol]
                weights[symbol] = (number >> halvings) + 1 if number > 0 else 0
                parents[symbol] = 0
                lengths[base + symbol] = 0
                left += number > 0
            # Join the two lightest until one is left.
            made = SYMBOLS
            while left > 1:
                one, other = -1, -1
                for node in range(made):
                    if weights[node] > 0:
                        if one < 0 or weights[node] < weights[one]:
                            one, other = node, one
                        elif other < 0 or weights[node] < weights[other]:
                            other = node
                weights[made] = weights[one] + weights[other]
                parents[made] = 0
                parents[one], parents[other] = made, made
                weights[one], weights[other] = 0, 0
                made, left = made + 1, left - 1
            # The length is the depth of the leaf; a symbol that is alone has one bit.
            longest = 0
            for symbol in range(SYMBOLS):
                if counts[base + symbol] > 0:
                    depth, node = 0, symbol
                    while parents[node] > 0:
                        depth, node = depth + 1, parents[node]
                    lengths[base + symbol] = max(depth, 1)
                    longest = max(longest, depth)
            if longest <= CODE_BITS:
                break
            halvings += 1


@njit(**LEAN)
def code_tables(lengths, codes, table):
    """Write the code of every symbol and the table that reads them; return whether the lengths are those of a code.

    Codes are canonical: in the order of their lengths, then of symbols; a code's first bit is its lowest.
    ``codes[place]`` is code x 16 + length, ``table[context << CODE_BITS | next bits]`` symbol x 16 + length, and 1024
    times the length with all bits that follow, 0 where no code begins with these bits.
    """
    for entry in range(table.size):
        table[entry] = 0
    for context in range(CONTEXTS):
        base, begin = context * SYMBOLS, context << CODE_BITS
        code = 0
        for length in range(1, CODE_BITS + 1):
            for symbol in range(SYMBOLS):
                if lengths[base + symbol] != length:
                    continue
                if code >= 1 << length:
                    return False
                # The bits of the code in the opposite order.
                turned = 0
                for bit in range(length):
                    turned |= ((code >> bit) & 1) << (length - 1 - bit)
                codes[base + symbol] = turned << 4 | length
                # The bits that follow the code as they are: those below the highest one.
                most = symbol - int(RUN) if symbol > int(RUN) else max(symbol - 1, 0)
                for entry in range(turned, 1 << CODE_BITS, 1 << length):
                    table[begin + entry] = (length + most) << 10 | symbol << 4 | length
                code += 1
            code <<= 1
    return True


@njit(**LEAN)
def pack(tokens, count, codes, out):
    """Write the codes and bits of tokens into words of 64 bits; return how many words."""
    word, used, written = _0, _0, _0
    for k in range(np.uint64(count)):
        token = tokens[k]
        code = np.uint64(codes[token & np.uint64(0xFFFF)])
        length = code & _LENGTH
        bits = (code >> _4) | (token >> np.uint64(32)) << length
        length += (token >> np.uint64(16)) & _EXTRA
        # At most CODE_BITS + 31 bits, of which some may be left for the next word.
        word |= bits << used
        used += length
        if used >= _64:
            out[written] = word
            written += _1
            used -= _64
            word = bits >> (length - used) if used > _0 else _0
    if used > _0:
        out[written] = word
        written += _1
    return written


@njit(**LEAN)
def from_bits(words, segments, scales, ordinals, table, row, out):
    """Write the values that bits stand for; return whether they are regrets from 0 to MOST and end where they should.

    ``ordinals[first:]`` is, per hand of a board, the number of its head among the heads. `words` ends with one that is
    not read; lengths of rows and ``ordinals`` are those of the part's game.
    """
    at, last_bit = _0, np.uint64(words.size - 1) * _64
    window, known = _0, _0
    for segment in range(np.uint64(segments.shape[0])):
        stride, held = segments[segment, STRIDE], segments[segment, HELD]
        count, first = segments[segment, HEADS], segments[segment, FIRST]
        unit = np.float32(1.0) / scales[segment]
        for number in range(segments[segment, ROWS]):
            begin = segments[segment, BEGIN] + number * stride
            previous, last, before, j = np.int64(0), _0, _0, _0
            some = False
            while j < count:
                # The next 64 bits, when fewer are known than a token has at most.
                if known < _TOKEN:
                    if at >= last_bit:
                        return False
                    word, shift = at >> _6, at & _63
                    window = words[word] >> shift | (words[word + _1] << _1) << (_63 - shift)
                    known = _64
                entry = np.uint64(table[_context(last, before, previous) << _CODE_BITS | window & np.uint64(1023)])
                length, symbol, used = entry & _LENGTH, entry >> _4 & _63, entry >> np.uint64(10)
                if length == _0:
                    return False
                rest = window >> length
                window >>= used
                known -= used
                at += used
                if symbol >= RUN + _1:
                    # A run of hands with the regret of the one before.
                    bits = symbol - RUN
                    end = j + (_1 << bits | rest & ((_1 << bits) - _1))
                    if end > count:
                        return False
                    if some or end < count:
                        again = np.float32(previous) * unit
                        for k in range(j, end):
                            row[k] = again
                    last, before, j = _RUN_CONTEXT, _0, end
                else:
                    # A difference to the hand before.
                    bits = symbol - _1 if symbol > _0 else _0
                    folded = (_1 << bits | rest & ((_1 << bits) - _1)) if symbol > _0 else _0
                    previous += np.int64(folded >> _1) ^ -np.int64(folded & _1)
                    if previous < np.int64(0) or previous > np.int64(MOST):
                        return False
                    row[j] = np.float32(previous) * unit
                    some = True
                    last, before, j = symbol, _0 if last == _RUN_CONTEXT else last, j + _1
            # Every hand has the regret of its head; nothing stands behind the last, nor in a row that is one run.
            if some:
                for k in range(held):
                    out[begin + k] = row[ordinals[first + k]]
            for k in range(held if some else _0, stride):
                out[begin + k] = _0_F32
    return at <= last_bit and last_bit - at < _64
