from decimal import Decimal

import pytest

from tests.cast import Cast, make_cast
from tests.qualification.pay.factories import PayPlanFactory


@pytest.fixture
def cast(db: None) -> Cast:
    """4.67 GBP for 35 minutes, and a qualification that is paid too."""
    cast = make_cast(pay_amount=Decimal("4.67"), pay_currency="GBP", expected_minutes=35)
    PayPlanFactory(study=cast.study)
    return cast
