package io.millrace.gateway.cluster.simulation;

import io.millrace.gateway.cluster.replication.AlteredRules.Lack;

/** The simulated protocol, whole or without one of its rules. */
enum Alteration {
    NONE,
    LEASE_IS_IGNORED,
    MISSED_BUCKETS_ARE_IGNORED,
    BEGUN_BUCKETS_ARE_IGNORED,
    BEGUN_BUCKETS_ARE_DURABLE_LATE,
    DELETIONS_COUNT_AS_DURABLE,
    INVALIDATIONS_ARE_REPORTED_EARLY,
    DEPARTURES_ARE_IGNORED,
    DENIALS_ARE_IGNORED,
    READINESS_IS_IGNORED,
    STRANGERS_GET_LEASES,
    ACKNOWLEDGED_WITHOUT_EFFECT,
    GOODBYES_KEEP_CONFIRMATIONS,
    LEASES_OF_THE_LAST_PROCESS(Lack.LEASES_OF_THE_LAST_PROCESS),
    EVERYTHING_FOR_NEW_MEMBERS(Lack.EVERYTHING_FOR_NEW_MEMBERS),
    MISSED_AT_ONCE(Lack.MISSED_AT_ONCE),
    LONGER_THAN_A_LEASE(Lack.LONGER_THAN_A_LEASE),
    LEASES_OF_STRONG_BUCKETS(Lack.LEASES_OF_STRONG_BUCKETS),
    UNHEARD_MEMBERS_ARE_NOT_WAITED_FOR(Lack.UNHEARD_MEMBERS_ARE_NOT_WAITED_FOR),
    PAUSES(Lack.PAUSES),
    DURABLE_DELETIONS(Lack.DURABLE_DELETIONS),
    LATE_ACKNOWLEDGEMENTS(Lack.LATE_ACKNOWLEDGEMENTS),
    REPETITION(Lack.REPETITION);

    /** The rule of replication that is lacking. */
    final Lack lack;

    Alteration() {
        this(Lack.NONE);
    }

    Alteration(Lack lack) {
        this.lack = lack;
    }
}
