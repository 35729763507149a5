-- Returns a user's assignment, its protocol version and whether consent is still needed: one look-up before an answer.
CREATE OR REPLACE FUNCTION annotation_answer_context(
    p_token uuid, p_user bigint,
    OUT assignment_id bigint, OUT version_id bigint, OUT version_status text, OUT needs_consent boolean
) LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT assignment.id, version.id, version.status,
        study.consent_text <> '' AND participant.consent_version <> study.consent_version
    INTO assignment_id, version_id, version_status, needs_consent
    FROM annotation_assignment assignment
    JOIN annotation_participant participant ON participant.id = assignment.participant_id
    JOIN annotation_study study ON study.id = participant.study_id
    JOIN protocols_protocolversion version ON version.id = study.protocol_version_id
    WHERE assignment.token = p_token AND participant.user_id = p_user;
END $$;
