"""Where data, noise and privacy meet: each mechanism turns private rows into noised integers and an event.

Every mechanism has the same shape: a frozen dataclass of public parameters; `calibrate(parameters, budget)`,
which needs no data and which `preview` uses; and `release(data, parameters, budget, random=…)`, which returns
the released arrays by path and the event that accounting will read. A proof note (`NAME.proof.md`) lies beside each.
"""
