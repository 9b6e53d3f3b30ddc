package io.millrace.cache.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import org.junit.jupiter.api.Test;

/** Metadata is published only if nothing has changed its object since it was requested, and nothing is changing it. */
class PublicationGuardTest {
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final ObjectId ID = id("a/key");
    private static final ObjectId OTHER = id("b/key");
    private static final ObjectPrefix BELOW = new ObjectPrefix("aws", BUCKET, "a/");

    private final PublicationGuard guard = new PublicationGuard();

    @Test
    void metadataOfAnUnchangedObjectIsCurrent() {
        long epoch = guard.writeEpoch(ID);

        assertThat(guard.isCurrent(ID, epoch)).isTrue();
        assertThat(guard.isCurrent(ID, WriteEpochs.NEVER)).isFalse();
    }

    @Test
    void metadataRequestedBeforeAWriteIsNotCurrent() {
        long before = guard.writeEpoch(ID);
        guard.beginWrite(ID);
        guard.raise(ID);
        guard.raise(ID);
        guard.endWrite(ID);

        assertThat(guard.isCurrent(ID, before)).isFalse();
        assertThat(guard.isCurrent(ID, guard.writeEpoch(ID))).isTrue();
    }

    @Test
    void metadataRequestedDuringAWriteIsNeverCurrent() {
        guard.beginWrite(ID);
        guard.raise(ID);
        long during = guard.writeEpoch(ID);
        assertThat(guard.isCurrent(ID, during)).isFalse();
        guard.raise(ID);
        guard.endWrite(ID);

        assertThat(guard.isCurrent(ID, during)).isFalse();
    }

    @Test
    void firstOfTwoWritesEndsNothingForTheOther() {
        guard.beginWrite(ID);
        guard.beginWrite(ID);
        guard.endWrite(ID);

        assertThat(guard.isBeingWritten(ID)).isTrue();
        assertThat(guard.isCurrent(ID, guard.writeEpoch(ID))).isFalse();
    }

    @Test
    void invalidationOfAPrefixConcernsObjectsBelowItAlone() {
        long before = guard.writeEpoch(ID);
        PublicationGuard.PrefixInvalidation first = guard.begin(BELOW);
        PublicationGuard.PrefixInvalidation second = guard.begin(BELOW);
        guard.end(first);

        assertThat(guard.isCurrent(ID, before)).isFalse();
        assertThat(guard.isCurrent(ID, guard.writeEpoch(ID))).isFalse();
        assertThat(guard.isCurrent(OTHER, guard.writeEpoch(OTHER))).isTrue();
        long during = guard.writeEpoch(ID);
        guard.raise(second);
        guard.end(second);
        assertThat(guard.isCurrent(ID, during)).isFalse();
        assertThat(guard.isCurrent(ID, guard.writeEpoch(ID))).isTrue();
    }

    /** Objects share stripes: what is kept of one must cost others no fetch. */
    @Test
    void replacedEntryOutdatesReadersOfTheStoreAlone() {
        long fetched = guard.writeEpoch(ID);
        long read = guard.storedEpoch(ID);
        guard.raiseStored(ID);

        assertThat(guard.isStoredCurrent(ID, read)).isFalse();
        assertThat(guard.isStoredCurrent(ID, guard.storedEpoch(ID))).isTrue();
        assertThat(guard.isCurrent(ID, fetched)).isTrue();
    }

    @Test
    void writeOutdatesReadersOfTheStoreToo() {
        long read = guard.storedEpoch(ID);
        guard.beginWrite(ID);
        guard.raise(ID);

        assertThat(guard.isStoredCurrent(ID, read)).isFalse();
        assertThat(guard.isStoredCurrent(ID, guard.storedEpoch(ID))).isFalse();
        guard.endWrite(ID);
        assertThat(guard.isStoredCurrent(ID, guard.storedEpoch(ID))).isTrue();
    }

    @Test
    void invalidationOfAllConcernsEveryObject() {
        long before = guard.writeEpoch(OTHER);
        PublicationGuard.PrefixInvalidation all = guard.beginAll();
        long during = guard.writeEpoch(OTHER);

        assertThat(guard.isCurrent(OTHER, before)).isFalse();
        assertThat(guard.isCurrent(OTHER, during)).isFalse();
        guard.raise(all);
        guard.end(all);
        assertThat(guard.isCurrent(OTHER, during)).isFalse();
        assertThat(guard.isCurrent(OTHER, guard.writeEpoch(OTHER))).isTrue();
    }

    private static ObjectId id(String key) {
        return ObjectId.current("aws", new ObjectRef(BUCKET, new ObjectKey(key)));
    }
}
