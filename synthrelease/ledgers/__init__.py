"""What all releases of a dataset cost its participants together: one SQLite file, private, of entries that are only added.

A curator grants ε and δ to a dataset by a name of their own; every release pays before its first noise is drawn, and what all
have paid is counted so that it holds however each was chosen after those before it (`dp.filter`). `book.Ledger` is the door.
From the ground up: `chain` says how entries hang together, `store` how they are kept, `charge` and `account` what is counted,
`history` what entries amount to, `quote` what is refused, `debit` what becomes of what was paid, `audit` what can be wrong,
`statement` how it reads.
"""

from synthrelease.ledgers.account import AccountStanding as AccountStanding
from synthrelease.ledgers.book import Ledger as Ledger
from synthrelease.ledgers.charge import Charge as Charge
from synthrelease.ledgers.charge import Grant as Grant
from synthrelease.ledgers.debit import Debit as Debit
