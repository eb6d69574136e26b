"""Two small games: Blackjack against a dealer, and catching what falls."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.reinforcement.mdp import MDP
from novum.runtime.checks import check_count

__all__ = ["blackjack", "pixel_catch", "pixels_of"]

CARDS = tuple((value, (4 if value == 10 else 1) / 13) for value in range(1, 11))  # ace is 1, all pictures 10
BUST, GOAL, DEALER_STANDS = 21, 21, 17
Hand = tuple[int, bool]  # sum, whether an ace counts eleven


def with_card(hand: Hand, card: int) -> Hand:
    """Return a hand after a card; aces count eleven while that does not bust."""
    total, usable = hand
    total += card
    if card == 1 and total + 10 <= GOAL and not usable:
        return total + 10, True
    if total > BUST and usable:
        return total - 10, False
    return total, usable


@cache
def dealer_ends(hand: Hand) -> dict[int, float]:
    """Return the distribution of the dealer's last sum; 22 stands for any bust."""
    total, _ = hand
    if total > BUST:
        return {BUST + 1: 1.0}
    if total >= DEALER_STANDS:
        return {total: 1.0}
    out: dict[int, float] = {}
    for card, probability in CARDS:
        for end, p in dealer_ends(with_card(hand, card)).items():
            out[end] = out.get(end, 0.0) + probability * p
    return out


def blackjack() -> MDP:
    """Return Blackjack with an endless deck, exactly: states (sum, dealer's card, usable ace), actions stick and hit.

    The rules are those of Sutton and Barto's example 5.1 and of Gymnasium's Blackjack-v1 (a natural counts like any 21).
    """
    table: dict[Any, dict[str, list[tuple[float, Any, float]]]] = {}
    start: dict[Any, float] = {}
    for shown, p_shown in CARDS:
        dealer = with_card((0, False), shown)
        ends = dealer_ends(dealer)
        for total in range(4, 22):
            for usable in (False, True):
                if usable and total < 12:
                    continue
                hits: dict[Any, list[float]] = {}
                for card, probability in CARDS:
                    new = with_card((total, usable), card)
                    where: Any = ("over", -1.0) if new[0] > BUST else ((new[0], shown, new[1]), 0.0)
                    hits.setdefault(where, [0.0])[0] += probability
                win = sum(p for end, p in ends.items() if end > BUST or end < total)
                lose = sum(p for end, p in ends.items() if total < end <= BUST)
                stick = [(win, "over", 1.0), (lose, "over", -1.0), (1 - win - lose, "over", 0.0)]
                table[total, shown, usable] = {
                    "stick": [one for one in stick if one[0] > 0],
                    "hit": [(p[0], to, gain) for (to, gain), p in hits.items()],
                }
        for one, p_one in CARDS:
            for two, p_two in CARDS:
                hand = with_card(with_card((0, False), one), two)
                key = (hand[0], shown, hand[1])
                start[key] = start.get(key, 0.0) + p_shown * p_one * p_two
    states = [*table, "over"]
    initial = np.array([start.get(s, 0.0) for s in states])
    return MDP(
        table,
        terminal=["over"],
        states=states,
        actions=["stick", "hit"],
        initial=initial / initial.sum(),
        name="blackjack",
    )


def pixel_catch(width: int = 5, height: int = 5, discount: float = 1.0) -> MDP:
    """Return the game of catching a falling pixel: 1 if the paddle in the lowest row is under it when it lands, else -1.

    States are (column of the pixel, row of the pixel from the top, column of the paddle); actions left, stay and right.
    `pixels_of` shows a state as a picture.
    """
    width = check_count("pixel_catch", "width", width, 2)
    height = check_count("pixel_catch", "height", height, 2)
    table: dict[Any, dict[str, list[tuple[float, Any, float]]]] = {}
    moves = {"left": -1, "stay": 0, "right": 1}
    for x in range(width):
        for y in range(height - 1):
            for paddle in range(width):
                row: dict[str, list[tuple[float, Any, float]]] = {}
                for name, move in moves.items():
                    at = min(max(paddle + move, 0), width - 1)
                    landed = y + 1 == height - 1
                    row[name] = [
                        (1.0, "landed" if landed else (x, y + 1, at), (1.0 if at == x else -1.0) if landed else 0.0)
                    ]
                table[x, y, paddle] = row
    states = [*table, "landed"]
    initial = np.array([1.0 if s != "landed" and s[1] == 0 and s[2] == width // 2 else 0.0 for s in states])
    return MDP(
        table,
        terminal=["landed"],
        states=states,
        actions=list(moves),
        initial=initial / initial.sum(),
        discount=discount,
        name="pixel_catch",
    )


def pixels_of(state: Any, width: int = 5, height: int = 5) -> NDArray[np.float32]:
    """Return the picture (height, width) of a state of `pixel_catch`: one where the pixel and the paddle are."""
    picture = np.zeros((height, width), np.float32)
    if state != "landed":
        x, y, paddle = state
        picture[y, x] = 1
        picture[height - 1, paddle] = 1
    return picture
