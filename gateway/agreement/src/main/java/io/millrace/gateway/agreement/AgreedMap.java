package io.millrace.gateway.agreement;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The agreed map as one voter has it: what it becomes depends on the transactions and their order alone. It remembers
 * its newest replies, so that a request that is asked again is applied once. Thread-safe.
 */
final class AgreedMap {
    /** Those of minutes, at some transactions a second. */
    static final int MOST_REMEMBERED = 10_000;

    /** In bytes, for what an entry takes besides its key and value: it bounds their number. */
    static final int ENTRY_OVERHEAD = 64;

    private final NavigableMap<String, AgreedEntry> entries = new TreeMap<>();
    private final Map<UUID, TransactionReply> remembered = new LinkedHashMap<>();
    private long forgotten;
    private long bytes;

    /**
     * Applies a request, or returns the reply that it had before.
     *
     * @param revision greater than all before
     */
    synchronized TransactionReply apply(TransactionRequest request, long revision) {
        @Nullable TransactionReply before = remembered.get(request.id());
        if (before != null) {
            return before;
        }
        // Had it been applied, then after what its member had seen, and that may be forgotten.
        if (request.seen() < forgotten) {
            return new TransactionReply(TransactionReply.Status.EXPIRED, revision);
        }
        TransactionReply reply = new TransactionReply(apply(request.transaction(), revision), revision);
        remember(request.id(), reply);
        return reply;
    }

    private TransactionReply.Status apply(Transaction transaction, long revision) {
        if (!transaction.compares().stream().allMatch(this::holds)) {
            return TransactionReply.Status.CONFLICT;
        }
        long after = bytes;
        for (Change change : transaction.changes()) {
            after += sizeOf(entry(change, revision)) - sizeOf(entries.get(change.key()));
        }
        if (after > AgreedLimits.MOST_MAP && after > bytes) {
            return TransactionReply.Status.FULL;
        }
        for (Change change : transaction.changes()) {
            @Nullable AgreedEntry entry = entry(change, revision);
            if (entry == null) {
                entries.remove(change.key());
            } else {
                entries.put(entry.key(), entry);
            }
        }
        bytes = after;
        return TransactionReply.Status.APPLIED;
    }

    private boolean holds(RevisionCompare compare) {
        @Nullable AgreedEntry entry = entries.get(compare.key());
        return compare.revision() == (entry == null ? RevisionCompare.ABSENT : entry.revision());
    }

    private static @Nullable AgreedEntry entry(Change change, long revision) {
        return change instanceof Change.Put put ? new AgreedEntry(put.key(), put.value(), revision) : null;
    }

    private static long sizeOf(@Nullable AgreedEntry entry) {
        return entry == null ? 0 : (long) ENTRY_OVERHEAD + entry.key().length() + AgreedLimits.sizeOf(entry.value());
    }

    private void remember(UUID id, TransactionReply reply) {
        remembered.put(id, reply);
        if (remembered.size() > MOST_REMEMBERED) {
            Iterator<TransactionReply> oldest = remembered.values().iterator();
            forgotten = oldest.next().revision();
            oldest.remove();
        }
    }

    /** Returns the entries whose keys begin with {@code prefix}, in order. */
    synchronized List<AgreedEntry> range(String prefix) {
        return entries.tailMap(prefix, true).values().stream()
                .takeWhile(entry -> entry.key().startsWith(prefix))
                .toList();
    }

    synchronized AgreedSnapshot snapshot() {
        return new AgreedSnapshot(forgotten, new LinkedHashMap<>(remembered), new ArrayList<>(entries.values()));
    }

    /** Becomes what a snapshot has. */
    synchronized void restore(AgreedSnapshot snapshot) {
        entries.clear();
        remembered.clear();
        remembered.putAll(snapshot.remembered());
        forgotten = snapshot.forgotten();
        bytes = 0;
        for (AgreedEntry entry : snapshot.entries()) {
            entries.put(entry.key(), entry);
            bytes += sizeOf(entry);
        }
    }
}
