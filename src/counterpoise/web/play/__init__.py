"""Play against agents: a session is a table in a process of its own, where one seat waits for a person's answers.

`sessions.py` is the server's side, `worker.py` the program of the process, `session.py` the table in it,
`table_view.py` what the person sees, `thoughts.py` what the opponents thought once a hand is over.
"""
