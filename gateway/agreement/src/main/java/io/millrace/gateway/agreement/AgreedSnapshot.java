package io.millrace.gateway.agreement;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * All that a voter knows of the agreed map at a moment.
 *
 * @param forgotten the revision of the newest reply that is no longer remembered
 * @param remembered replies by request, oldest first
 */
record AgreedSnapshot(long forgotten, Map<UUID, TransactionReply> remembered, List<AgreedEntry> entries) {
    static final AgreedSnapshot EMPTY = new AgreedSnapshot(0, Map.of(), List.of());
}
