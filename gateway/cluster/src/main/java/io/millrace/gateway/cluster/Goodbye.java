package io.millrace.gateway.cluster;

/**
 * The message of a member that stops, has given up its leases, and owes nothing to the receiver.
 *
 * @param member the name of the member that stops
 * @param session its session with the receiver
 * @param announced the number of the last announcement in it
 */
record Goodbye(String member, SessionId session, long announced) {}
