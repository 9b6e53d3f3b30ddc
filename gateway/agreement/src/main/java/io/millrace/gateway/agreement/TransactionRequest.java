package io.millrace.gateway.agreement;

import java.util.UUID;

/**
 * A transaction with what lets a voter see that it was asked for before.
 *
 * @param id of this request, the same each time that it is asked again
 * @param seen a revision of the map that the asking member had seen before it asked the first time: it was not made at
 *     or before that
 */
record TransactionRequest(UUID id, long seen, Transaction transaction) {}
