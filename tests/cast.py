"""The people of every test, with fixed rights, in one study under the he-protocol with a small batch."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from annotation.models import Batch, Membership, Participant, Study
from annotation.services.researchers import admit_by_role
from protocols.models import ProtocolVersion
from tests.factories import MembershipFactory, StudyFactory, UserFactory, make_annotator, make_batch
from tests.factories_protocols import make_he_version

Role = Membership.Role


@dataclass(frozen=True)
class Cast:
    version: ProtocolVersion
    study: Study
    batch: Batch  # 2 dialogues, 3 sources, 3 seats, 4 criteria: 24 answers an annotator
    owner: User
    researcher: User
    lead: User
    controller: User
    observer: User
    stranger: User  # signed in, and a member of nothing
    annotators: tuple[Participant, ...]  # three, cleared

    @property
    def annotator(self) -> Participant:
        return self.annotators[0]


def make_cast(**study_fields: object) -> Cast:
    version = make_he_version()
    fields = {"slug": "wellbeing", "name": "Wellbeing dialogues", "protocol_version": version} | study_fields
    study = StudyFactory(**fields)
    return Cast(
        version=version,
        study=study,
        batch=make_batch(study),
        owner=_member(study, Role.OWNER),
        researcher=_member(study, Role.RESEARCHER),
        lead=_member(study, Role.LEAD),
        controller=_member(study, Role.CONTROLLER),
        observer=_member(study, Role.OBSERVER),
        stranger=UserFactory(username="stranger"),
        annotators=tuple(make_annotator(study, f"annotator-{n}") for n in (1, 2, 3)),
    )


def _member(study: Study, role: str) -> User:
    """With the group that a role brings."""
    membership = MembershipFactory(study=study, role=role, user__username=str(role))
    admit_by_role(membership)
    return membership.user
