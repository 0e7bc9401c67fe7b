"""Solvers on public trees of hand vectors."""
