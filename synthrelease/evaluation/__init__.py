"""The utility of a release and what an attacker would get from it: for its curator, who has the private data.

`evaluate` reads plan, bundle and data; `private_page` draws what it found. Nothing of this layer may be published, and no mechanism
knows of it.
"""
