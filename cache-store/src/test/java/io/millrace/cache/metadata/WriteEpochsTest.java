package io.millrace.cache.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that a change of an object is known for a while, and changes nothing for objects of other buckets. */
class WriteEpochsTest {
    private static final Duration WHILE = Duration.ofSeconds(5);
    private static final ObjectId ONE = id("bucket", "one");
    private static final ObjectId OTHER = id("elsewhere", "other");

    private final AtomicLong nanos = new AtomicLong(-17);
    private final WriteEpochs epochs = new WriteEpochs(nanos::get);

    private static ObjectId id(String bucket, String key) {
        return ObjectId.current("store", new ObjectRef(new BucketName(bucket), new ObjectKey(key)));
    }

    @BeforeEach
    void letTheStartBeLongAgo() {
        nanos.addAndGet(WHILE.toNanos());
    }

    /** A process does not know what the one before it has heard. */
    @Test
    void allObjectsCountAsChangedAtTheStart() {
        WriteEpochs begun = new WriteEpochs(nanos::get);

        assertThat(begun.isRaisedWithin(ONE, WHILE)).isTrue();
        assertThat(epochs.isRaisedWithin(ONE, WHILE)).isFalse();
    }

    @Test
    void raisedObjectIsKnownForAWhile() {
        epochs.raise(ONE);

        assertThat(epochs.isRaisedWithin(ONE, WHILE)).isTrue();
        assertThat(epochs.isRaisedWithin(OTHER, WHILE)).isFalse();
        nanos.addAndGet(WHILE.toNanos());
        assertThat(epochs.isRaisedWithin(ONE, WHILE)).isFalse();
    }

    @Test
    void raisedBucketRaisesItsObjects() {
        epochs.raise("store", new BucketName("bucket"));

        assertThat(epochs.isRaisedWithin(ONE, WHILE)).isTrue();
        assertThat(epochs.isRaisedWithin(OTHER, WHILE)).isFalse();
    }

    @Test
    void objectRaisedByItselfIsToldFromItsBucketAndFromTheStart() {
        assertThat(epochs.isRaisedAloneWithin(ONE, WHILE.multipliedBy(2))).isFalse();
        epochs.raise("store", new BucketName("bucket"));
        assertThat(epochs.isRaisedAloneWithin(ONE, WHILE)).isFalse();

        epochs.raise(ONE);

        assertThat(epochs.isRaisedAloneWithin(ONE, WHILE)).isTrue();
        assertThat(epochs.isRaisedAloneWithin(OTHER, WHILE)).isFalse();
        nanos.addAndGet(WHILE.toNanos());
        assertThat(epochs.isRaisedAloneWithin(ONE, WHILE)).isFalse();
    }

    @Test
    void allAreRaisedAtOnce() {
        epochs.raiseAll();

        assertThat(epochs.isRaisedWithin(ONE, WHILE)).isTrue();
        assertThat(epochs.isRaisedWithin(OTHER, WHILE)).isTrue();
    }
}
