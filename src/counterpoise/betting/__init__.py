"""Rules of betting for two to ten seats, the grammar of bet sizes, and words for actions. Without cards."""
