"""A local web application of one project folder: the commands for people who have no terminal.

It adds nothing to them: what is clicked is written into the plan, and what takes long is a command that runs on its own.
"""
