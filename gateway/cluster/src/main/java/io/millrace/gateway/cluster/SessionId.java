package io.millrace.gateway.cluster;

/**
 * Identifies a session: an unbroken sequence of announcements of one member to another, numbered from 1.
 *
 * @param process the process of the announcing member, a random number
 * @param number distinguishes the sessions of that process
 */
record SessionId(long process, long number) {}
