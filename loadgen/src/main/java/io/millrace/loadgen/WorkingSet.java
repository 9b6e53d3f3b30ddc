package io.millrace.loadgen;

import io.millrace.loadgen.client.GeneratedObjects;
import io.millrace.loadgen.client.ObjectCatalog;

/**
 * The objects that the operations of a run read, and those that they may write and delete.
 *
 * @param prefix prefix of their keys
 * @param objects those that are read
 * @param scratch generated objects below {@code scratch/}, which are written and deleted in place of {@code objects}
 * @param isOwned whether {@code objects} are generated, so that phases may write and delete them
 */
record WorkingSet(String prefix, ObjectCatalog objects, ObjectCatalog scratch, boolean isOwned) {
    /** Returns the set for these settings. */
    static WorkingSet of(ObjectSettings settings, ObjectCatalog objects) {
        return new WorkingSet(
                settings.prefix(),
                objects,
                new GeneratedObjects(settings.prefix() + "scratch/", settings.count(), settings.size()),
                settings.source() == TestObjectSource.GENERATED);
    }

    /**
     * Returns the objects that the writes of a phase use. A phase that also reads writes and deletes scratch objects,
     * so that its reads never meet a deleted object; objects of a user's bucket are never written.
     */
    ObjectCatalog writable(OperationMix operations) {
        return isOwned && !operations.hasReads() ? objects : scratch;
    }

    /** Returns whether a phase writes scratch objects. */
    boolean usesScratch(OperationMix operations) {
        return writable(operations) == scratch && operations.types().stream().anyMatch(OperationType::isWrite);
    }

    /** Returns the scratch objects, as objects that a phase may delete. */
    WorkingSet scratchOnly() {
        return new WorkingSet(prefix, scratch, scratch, true);
    }
}
