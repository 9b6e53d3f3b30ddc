package io.millrace.gateway.agreement;

/**
 * The outcome of a transaction.
 *
 * @param revision of the map after it
 */
record TransactionReply(Status status, long revision) {
    /** The outcomes, of which only the first changes anything. */
    enum Status {
        APPLIED,
        CONFLICT,
        /** The map would be larger than {@link AgreedLimits#MOST_MAP}. */
        FULL,
        /** It may have been made, so long ago that it is not remembered. */
        EXPIRED,
        /** No transaction, or one of another release. */
        MALFORMED
    }
}
