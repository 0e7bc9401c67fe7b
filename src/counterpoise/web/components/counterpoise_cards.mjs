// Cards and the 13 x 13 square of hand kinds: names, places, colours; shared by the components.

export const RANKS = "AKQJT98765432";
export const SUITS = "shdc";
export const SUIT_SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };
export const SUIT_WORDS = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };

/** Return a card in words, such as "A of spades"; what is seen of it is part of them. */
export function cardWords(card) {
  return `${card[0]} of ${SUIT_WORDS[card[1]]}`;
}

/** Return the kind of hand at a row and column: pairs on the diagonal, suited hands above it. */
export function kindAt(row, column) {
  if (row === column) return RANKS[row] + RANKS[row];
  return row < column ? `${RANKS[row]}${RANKS[column]}s` : `${RANKS[column]}${RANKS[row]}o`;
}

/** Return the row and column of a kind of hand. */
export function placeOf(kind) {
  const [high, low] = [RANKS.indexOf(kind[0]), RANKS.indexOf(kind[1])];
  return kind[2] === "o" ? [low, high] : [high, low];
}

/** Return the kinds on the straight line between two: a fast pointer is heard of in few places only. */
export function stroke(from, to) {
  const [[row, column], [lastRow, lastColumn]] = [placeOf(from), placeOf(to)];
  const steps = Math.max(Math.abs(lastRow - row), Math.abs(lastColumn - column), 1);
  const part = (first, last, k) => Math.round(first + ((last - first) * k) / steps);
  return Array.from({ length: steps + 1 }, (_, k) => kindAt(part(row, lastRow, k), part(column, lastColumn, k)));
}

/** Return the kind of a hand such as "AsKh". */
export function kindOf(hand) {
  const [a, b] = [RANKS.indexOf(hand[0]), RANKS.indexOf(hand[2])];
  if (a === b) return hand[0] + hand[0];
  const high = RANKS[Math.min(a, b)] + RANKS[Math.max(a, b)];
  return high + (hand[1] === hand[3] ? "s" : "o");
}

/** Return a hand with its higher card first, and of two equal ranks the higher suit. */
export function ordered(hand) {
  const [a, b] = [hand.slice(0, 2), hand.slice(2, 4)];
  const place = (card) => RANKS.indexOf(card[0]) * 4 + SUITS.indexOf(card[1]);
  return place(a) <= place(b) ? a + b : b + a;
}

/** Return the hands of a kind. */
export function handsOf(kind) {
  const found = [];
  for (const first of SUITS)
    for (const second of SUITS) {
      if (kind[0] === kind[1] && SUITS.indexOf(first) >= SUITS.indexOf(second)) continue;
      if (kind[2] === "s" && first !== second) continue;
      if (kind[2] === "o" && first === second) continue;
      found.push(kind[0] + first + kind[1] + second);
    }
  return found;
}

/** Return where an arrow key leads in a square of rows and columns, or null for other keys. */
export function arrow(key, row, column, rows, columns) {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  if (key === "Home") return [row, 0];
  if (key === "End") return [row, columns - 1];
  if (!(key in steps)) return null;
  const clamp = (value, most) => Math.min(Math.max(value, 0), most - 1);
  return [clamp(row + steps[key][0], rows), clamp(column + steps[key][1], columns)];
}

const SHADES = [
  [68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142],
  [31, 158, 137], [53, 183, 121], [109, 205, 89], [180, 222, 44], [253, 231, 37],
];

/** Return the colour of a share from 0 to 1 on a scale that is even to the eye, and the ink to write on it. */
export function shade(share) {
  const at = 0.6 + Math.min(Math.max(share, 0), 1) * 7.9;
  const low = Math.floor(at);
  const mixed = SHADES[low].map((value, k) => Math.round(value + (at - low) * (SHADES[low + 1][k] - value)));
  const light = mixed.map((value) => (value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
  return { background: `rgb(${mixed.join(",")})`, color: luminance > 0.179 ? "#000000" : "#ffffff" };
}

/** Return a number in about four characters. */
export function brief(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "";
  const size = Math.abs(value);
  return size < 10 ? value.toFixed(2) : size < 100 ? value.toFixed(1) : value.toFixed(0);
}

/** Return a number in four digits, whatever its size. */
export function figure(value) {
  if (!Number.isFinite(value)) return "";
  return Number.isInteger(value) ? value.toLocaleString("en") : String(+value.toPrecision(4));
}

/** Return a share as per cent. */
export function percent(share, digits = 1) {
  return share === null || share === undefined ? "" : `${(100 * share).toFixed(digits)} %`;
}
