"""The utility of a release and what an attacker would get from it: for its curator, beside the private data.

`appraise` reads plan, bundle and data; `private_page` draws what it found. Nothing of this floor may be published, and no mechanism
knows of it.
"""
