"""What all releases of a dataset cost its people together: one SQLite file, private, of entries that are only added.

A curator grants ε and δ to a dataset by a name of their own; every release pays before its first noise is drawn, and what all
have paid is composed exactly, as the parts of one release are. `book.Ledger` is the door; `account` says what entries amount to,
`chain` how they hang together, `store` how they are kept.
"""

from synthrelease.ledger.account import Charge as Charge
from synthrelease.ledger.account import Grant as Grant
from synthrelease.ledger.book import Ledger as Ledger
from synthrelease.ledger.debit import Debit as Debit
