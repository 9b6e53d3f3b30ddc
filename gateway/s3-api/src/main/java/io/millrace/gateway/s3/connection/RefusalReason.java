package io.millrace.gateway.s3.connection;

import java.util.Locale;

/** The reason why a connection was refused, or closed without a request in progress. */
public enum RefusalReason {
    /** As many connections are open as {@code s3.max-connections} allows. */
    MAX_CONNECTIONS,
    /** As many connections of the client's address are open as {@code s3.max-connections-per-address} allows. */
    MAX_CONNECTIONS_PER_ADDRESS,
    /** The head of a request took longer than {@code s3.request-head-timeout}. */
    REQUEST_HEAD_TIMEOUT,
    /** The TLS handshake failed, or took longer than {@code s3.request-head-timeout}. */
    HANDSHAKE;

    /** Returns the label of the meter; of most the key of the setting below {@code s3}. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
