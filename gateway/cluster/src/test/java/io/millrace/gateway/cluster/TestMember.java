package io.millrace.gateway.cluster;

/** A gateway of a cluster in tests, with a cache, reads and writes of its own. */
interface TestMember extends AutoCloseable {
    MemberCache cache();

    PeerLeases leases();

    void start();

    @Override
    void close();
}
