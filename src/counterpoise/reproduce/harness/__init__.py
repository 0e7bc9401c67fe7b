"""The harness of experiments, one idea per file.

`experiment`: what an experiment is, the registry, and the `Lab` it works with; `report`: the tables, claims and figures
it declares; `racing`: how solvers are run and measured; `runs`: the numbers read off them; `published`: other people's.
"""
