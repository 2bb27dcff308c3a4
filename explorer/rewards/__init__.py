"""What a protocol is worth: computations and pictures of the Rewards page, without the screen.

What needs numpy is imported on first use: browsers lack it, and the page's first picture does
without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.rewards.chance import (
    MID_POINT as MID_POINT,
    ByChance as ByChance,
    SeatPay as SeatPay,
    at_once_by_chance as at_once_by_chance,
    by_chance as by_chance,
    quickly_by_chance as quickly_by_chance,
    with_similarity as with_similarity,
)
from explorer.rewards.charts import (
    commitment_chart as commitment_chart,
    handle_at_first as handle_at_first,
    pay_chart as pay_chart,
)
from explorer.rewards.payoffs import (
    Payoff as Payoff,
    payoffs as payoffs,
)
from explorer.rewards.seats import (
    main_seat as main_seat,
    seats_in_order as seats_in_order,
)
from nip_core.lazy import exported

if TYPE_CHECKING:
    from explorer.rewards.cards import (
        Told as Told,
        card_lines as card_lines,
        kept_lines as kept_lines,
    )
    from explorer.rewards.commitment import (
        Guarantees as Guarantees,
        guarantees as guarantees,
        is_control as is_control,
    )
    from explorer.rewards.comparing import (
        PLACES as PLACES,
        Row as Row,
        Swept as Swept,
        kept_rows as kept_rows,
        kept_story as kept_story,
        row_of as row_of,
    )
    from explorer.rewards.files import (
        chance_python as chance_python,
        commitment_python as commitment_python,
        protocol_python as protocol_python,
        results_json as results_json,
        rows_csv as rows_csv,
        wit_python as wit_python,
    )
    from explorer.rewards.wit import (
        ByWit as ByWit,
        by_wit as by_wit,
        wit_chart as wit_chart,
    )

__all__, __getattr__, __dir__ = exported(__name__)
