"""Signatures: who stands by a release. An in-toto Statement v1 about the manifest in a DSSE envelope, signed with ed25519."""
