"""Two workers on one broker, and a hand on the table that a decision needs: who is in the middle of it can be seen."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import redis
from celery import Celery
from django.db import connection, transaction

from parley.environment import redis_address
from parley.supervisor import WORKER_OPTIONS
from tests.faults.processes import Process, environment
from tests.wait import wait_until

# PostgreSQL says who waits for a lock by this name, which libpq reads from the environment.
WAITING = """
    SELECT application_name FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database() AND application_name LIKE 'crew-%%'
"""
CONNECTED = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND state <> 'idle'"


class Crew:
    """Workers by name. All take from the queue of short tasks."""

    def __init__(self, size: int) -> None:
        self.workers: dict[str, Process] = {}
        self.n_hired = self.n_lost = 0
        with self.broker() as broker:
            broker.flushdb()  # what workers of other tests had taken when they were killed stays in there as not done
        for _ in range(size):
            self.hire()

    def hire(self) -> None:
        self.n_hired += 1
        name = f"crew-{os.getpid()}-{self.n_hired}"
        worker = ("celery", "-A", "parley", "worker", "-Q", "live", "-c", "1", "-n", f"{name}@%h", *WORKER_OPTIONS)
        self.workers[name] = Process(["env", f"PGAPPNAME={name}", sys.executable, "-m", *worker], 0)

    def kill(self, name: str) -> None:
        """With -9, and all of it. What it was at stays in the broker as taken and not done."""
        self.workers.pop(name).kill()
        self.n_lost += 1

    def kill_at_work(self, name: str) -> None:
        """With -9, and only the process that runs the task: what a system short of memory does."""
        pid = self.workers[name].running.pid
        [child] = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        os.kill(int(child), signal.SIGKILL)

    def stop(self) -> None:
        for name in list(self.workers):
            self.kill(name)

    @staticmethod
    def send(*tasks: str, times: int = 1) -> None:
        """Beat's part. `times`: the very same message."""
        with Celery(broker=environment(0)["REDIS_URL"], set_as_current=False) as app:
            for task in tasks:
                key = str(uuid4())
                for _ in range(times):
                    app.send_task(task, task_id=key, queue="live")

    @staticmethod
    def broker() -> redis.Redis:
        return redis.from_url(redis_address(environment(0)["REDIS_URL"]))

    def who_waits(self, n: int) -> list[str]:
        """The names of `n` workers that are in the middle of a decision; empty while they are fewer."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_clear_snapshot()")  # a transaction would see the same activity to its end
            cursor.execute(WAITING)
            found = sorted({name for (name,) in cursor.fetchall()} & self.workers.keys())
        return found if len(found) == n else []

    def wait_until_idle(self) -> None:
        """Every message is taken and done, but for what was lost with a worker."""
        with self.broker() as broker:
            wait_until(lambda: not broker.llen("live"), 30, "an empty queue")
            wait_until(lambda: broker.hlen("unacked") <= self.n_lost, 30, "the end of all tasks")


@contextmanager
def held(table: str) -> Iterator[None]:
    """Nobody writes to the table, or locks a row of it, until the end of the block."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {table} IN EXCLUSIVE MODE")
        yield


def is_over_for(name: str) -> bool:
    """Whether the database has noticed that this worker is dead: what it had not committed is undone."""
    with connection.cursor() as cursor:
        cursor.execute(CONNECTED, [name])
        return cursor.fetchone()[0] == 0
