"""The harness of experiments, one idea per file.

`experiment`: what an experiment is, and the registry; `report`: the `Lab` it works with and the tables, claims and
figures it declares; `basis`: on what claims are judged, here and in the source; `verdicts`: how; `racing`: how solvers
are run and measured; `runs`: the numbers read off them; `published`: other people's; `last_run`: the verdicts of the
last full run of each; `sweep`: many experiments in one go.
"""
