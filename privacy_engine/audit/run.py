"""The audit: draw, choose events on some of the draws, bound the loss by the others."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from privacy_engine import noise
from privacy_engine.audit.bounds import loss_at_least, most_provable
from privacy_engine.audit.events import FAMILIES, Event, best_events
from privacy_engine.audit.kinds import Kind, Observed, Pair, Watch
from privacy_engine.audit.spec import AuditSpec
from privacy_engine.core.progress import blocks, reported
from privacy_engine.registry import Adapters

KINDS: Adapters[Kind] = Adapters("privacy_engine.audit")
CONFIDENCE = 0.95
TRAINING = 0.25
"""The share of the draws that events are chosen on; the bounds are of the others."""
AT_ONCE = 20_000
"""Draws between two reports of progress."""
CONSISTENT, VIOLATED = "consistent", "violated"


@dataclass(frozen=True)
class PairResult:
    """The result for two inputs: ``claimed`` and ``lower_bound`` are log-odds, of the event that shows most."""

    name: str
    claimed: float
    lower_bound: float
    best_event: str
    verdict: str


@dataclass(frozen=True)
class AuditResult:
    """An audit's outcome. ``claimed`` is ε; ``lower_bound`` a lower bound of it, at ``confidence``, over all pairs.

    A pair that lies s times the guarantee's distance apart may lose s·ε: its bound divided by s is a bound of ε. The
    verdict is ``violated`` if some pair's lower bound exceeds its claim. A mechanism that keeps its claim is called
    that with probability at most 1 - ``confidence``; a mechanism that is called ``consistent`` may still break it.
    """

    mechanism: str
    claimed: float
    lower_bound: float
    confidence: float
    trials: int
    pairs: tuple[PairResult, ...]
    verdict: str

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON-ready data."""
        return asdict(self) | {"pairs": [asdict(pair) for pair in self.pairs]}


def claimed_per(spec: AuditSpec) -> str:
    """What the ε of a result is claimed for: ``radius``, ``window``, ``user`` or ``check-in``."""
    mechanism = spec.target()
    return KINDS[mechanism.kind].per(mechanism)


def audit(spec: AuditSpec, *, watch: Watch | None = None) -> AuditResult:
    """Bound the ε of a mechanism from below, by draws alone, with 95 % confidence overall.

    Per pair of neighbouring inputs and family of events the event with the largest bound on a quarter of the draws is
    chosen, in either direction, and its Clopper-Pearson bound on the rest is taken, the error probability divided by
    the number of pairs times families [1]_ [2]_.

    Parameters
    ----------
    spec : AuditSpec
        ``trials`` draws are made for each distinct input.
    watch : callable, optional
        Called with the share of the work that is over, 0 to 1; it may raise to stop.

    Raises
    ------
    ParameterErrors
        The mechanism or a parameter is not valid.

    References
    ----------
    .. [1] Ding, Wang, Wang, Zhang, Kifer. "Detecting violations of differential privacy". CCS 2018.
    .. [2] Bichsel, Steffen, Bogunovic, Vechev. "DP-Sniper: black-box discovery of differential privacy violations
       using classifiers". S&P 2021.
    """
    return audit_of(spec.target(), spec, watch=watch)


def audit_of(mechanism: Any, spec: AuditSpec, *, watch: Watch | None = None) -> AuditResult:
    """As :func:`audit`, of the object ``mechanism`` whatever ``spec`` describes; it must state its own claim."""
    kind = KINDS[mechanism.kind]
    pairs = kind.pairs(mechanism)
    alpha = (1 - CONFIDENCE) / (len(pairs) * len(FAMILIES))
    draws = _Draws(kind, mechanism, spec, pairs, watch or (lambda _: None))
    results = [_of_pair(kind, pair, draws.of(pair.first), draws.of(pair.second), alpha) for pair in draws.in_turn()]
    draws.watch(1.0)
    worst = max(result.lower_bound / pair.scale for pair, result in zip(pairs, results, strict=True))
    violated = any(result.verdict == VIOLATED for result in results)
    return AuditResult(
        spec.name,
        float(mechanism.epsilon),
        worst,
        CONFIDENCE,
        spec.trials,
        tuple(results),
        VIOLATED if violated else CONSISTENT,
    )


def provable(pairs: int, trials: int) -> float:
    """Return the largest log-odds that an audit of so many pairs and trials can show of any mechanism."""
    return most_provable(trials - _training(trials), (1 - CONFIDENCE) / (pairs * len(FAMILIES)))


def _training(trials: int) -> int:
    return int(trials * TRAINING)


class _Draws:
    """Draws of every distinct input, made when first needed and dropped after the last pair that needs them."""

    def __init__(self, kind: Kind, mechanism: Any, spec: AuditSpec, pairs: list[Pair], watch: Watch) -> None:
        self._kind, self._mechanism, self._spec, self._pairs, self.watch = kind, mechanism, spec, pairs, watch
        self._rng = noise.source(spec.seed)
        self._made: dict[int, Observed] = {}
        self._inputs = len({id(data) for pair in pairs for data in (pair.first, pair.second)})
        self._begun = 0

    def in_turn(self) -> Any:
        for i, pair in enumerate(self._pairs):
            yield pair
            later = {id(data) for other in self._pairs[i + 1 :] for data in (other.first, other.second)}
            self._made = {key: value for key, value in self._made.items() if key in later}

    def of(self, given: Any) -> Observed:
        if id(given) not in self._made:
            self._made[id(given)] = self._draw(given)
        return self._made[id(given)]

    def _draw(self, given: Any) -> Observed:
        trials, parts = self._spec.trials, []
        for some in blocks(trials, AT_ONCE):
            self.watch((self._begun + some.start / trials) / self._inputs)
            parts.append(self._kind.draw(self._mechanism, given, some.stop - some.start, self._rng))
        self._begun += 1
        return np.concatenate(parts)


def _of_pair(kind: Kind, pair: Pair, first: Observed, second: Observed, alpha: float) -> PairResult:
    training = _training(len(first))
    trials = len(first) - training
    events = best_events(kind, pair, first[:training], second[:training], alpha)
    bounds = {}
    for family, event in reported(events.items()):
        counts = [_count(event, draws[training:]) for draws in (first, second)]
        hits, other = counts[::-1] if event.reverse else counts
        bounds[family] = float(loss_at_least(hits, other, trials, alpha))
    best = max(bounds, key=lambda family: bounds[family])
    verdict = VIOLATED if bounds[best] > pair.claimed else CONSISTENT
    return PairResult(pair.name, pair.claimed, bounds[best], f"{best}: {events[best].name}", verdict)


def _count(event: Event, draws: Observed) -> int:
    return sum(event.count(draws[some]) for some in blocks(len(draws), AT_ONCE))
