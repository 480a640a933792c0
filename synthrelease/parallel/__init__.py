"""Many calls side by side, in this process, on this machine, or on a cluster, by one code path."""

from synthrelease.parallel.call import Call, Failed, Job, Round
from synthrelease.parallel.coordinator import Progress, run, run_all, run_calls
from synthrelease.parallel.pool import OwnProcess, Pool, Processes, available_cores, checked_jobs, pool_of

__all__ = [
    "Call",
    "Failed",
    "Job",
    "OwnProcess",
    "Pool",
    "Processes",
    "Progress",
    "Round",
    "available_cores",
    "checked_jobs",
    "pool_of",
    "run",
    "run_all",
    "run_calls",
]
