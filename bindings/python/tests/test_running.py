"""Long work: it lets others run, and ends when somebody wants it to."""

import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import grease
from carts import Carts


def test_other_threads_run_while_native_code_works(data):
    ticks, ended = [], threading.Event()

    def tick():
        while not ended.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    began = time.perf_counter()
    grease.train(data, epochs=400, dim=64, progress=False)
    worked = time.perf_counter() - began
    ended.set()
    ticker.join()
    during = [tick for tick in ticks if began <= tick <= began + worked]
    assert len(during) > 10, f"{len(during)} ticks in {worked:.2f} s"


def test_several_threads_explain_at_once(data):
    explainer = grease.Explainer(Carts(data), data)
    users = data.user_ids[:6]
    alone = {user: explainer.explain_list(user, k=3).to_jsonl() for user in users}
    found = {}
    threads = [
        threading.Thread(target=lambda user=user: found.update({user: explainer.explain_list(user, k=3).to_jsonl()}))
        for user in users
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == alone


INTERRUPTED = {
    "training": "grease.train(data, epochs=10_000_000, dim=64, progress=False)",
    "explaining": "grease.Explainer(Slow(data), data).explain_list('mira', k=10)",
    "explaining many": "grease.Explainer(Slow(data), data).explain_many(progress=False)",
    "evaluating": "grease.Explainer(Slow(data), data).evaluate(progress=False)",
}


@pytest.mark.parametrize("doing", INTERRUPTED)
def test_ctrl_c_ends_it(doing):
    program = textwrap.dedent(
        f"""
        import sys, time
        import grease
        from carts import Carts

        class Slow(Carts):
            def scores(self, user, removed, added):
                time.sleep(0.02)
                return super().scores(user, removed, added)

        data = grease.Interactions.sample(users=80, artists=60)
        print("ready", flush=True)
        try:
            {INTERRUPTED[doing]}
        except KeyboardInterrupt:
            # What was interrupted can be used again.
            print("interrupted", flush=True)
            sys.exit(7)
        """
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=__file__.rsplit("/", 1)[0])
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=30) == 7, child.stdout.read()
    finally:
        child.kill()


def test_an_interrupted_explainer_works_again(data):
    class Interrupting(Carts):
        calls = 0

        def scores(self, user, removed, added):
            type(self).calls += 1
            if type(self).calls == 3:
                signal.raise_signal(signal.SIGINT)
            time.sleep(0.02)
            return super().scores(user, removed, added)

    explainer = grease.Explainer(Interrupting(data), data)
    with pytest.raises(KeyboardInterrupt):
        explainer.explain_list("mira", k=5)
    undisturbed = grease.Explainer(Carts(data), data).explain_list("mira", k=5)
    assert explainer.explain_list("mira", k=5).sentences == undisturbed.sentences
