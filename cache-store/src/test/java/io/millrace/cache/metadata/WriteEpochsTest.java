package io.millrace.cache.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests that a change of an object is known for a while, and changes nothing for objects of other buckets. */
class WriteEpochsTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final ObjectId ONE = id("bucket", "one");
    private static final ObjectId OTHER = id("elsewhere", "other");

    private final WriteEpochs epochs = new WriteEpochs();

    private static ObjectId id(String bucket, String key) {
        return ObjectId.current("store", new ObjectRef(new BucketName(bucket), new ObjectKey(key)));
    }

    @Test
    void nothingIsRaisedAtFirst() {
        assertThat(epochs.isRaisedWithin(ONE, LONG)).isFalse();
    }

    @Test
    void raisedObjectIsKnownForAWhile() {
        epochs.raise(ONE);

        assertThat(epochs.isRaisedWithin(ONE, LONG)).isTrue();
        assertThat(epochs.isRaisedWithin(ONE, Duration.ZERO)).isFalse();
        assertThat(epochs.isRaisedWithin(OTHER, LONG)).isFalse();
    }

    @Test
    void raisedBucketRaisesItsObjects() {
        epochs.raise("store", new BucketName("bucket"));

        assertThat(epochs.isRaisedWithin(ONE, LONG)).isTrue();
        assertThat(epochs.isRaisedWithin(OTHER, LONG)).isFalse();
    }

    @Test
    void allAreRaisedAtOnce() {
        epochs.raiseAll();

        assertThat(epochs.isRaisedWithin(ONE, LONG)).isTrue();
        assertThat(epochs.isRaisedWithin(OTHER, LONG)).isTrue();
    }
}
