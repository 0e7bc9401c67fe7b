"""What pages and API show of a solution, as typed records: a node, its neighbours, reports, comparisons, exports."""
