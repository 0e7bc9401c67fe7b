"""The harness of experiments, one idea per file.

`experiment`: what an experiment is, and the registry; `report`: the `Lab` it works with and the tables, claims and
figures it declares; `verdicts`: how claims are judged; `racing`: how solvers are run and measured; `runs`: the numbers
read off them; `published`: other people's.
"""
