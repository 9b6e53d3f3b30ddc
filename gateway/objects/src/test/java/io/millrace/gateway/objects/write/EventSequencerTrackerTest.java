package io.millrace.gateway.objects.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.metadata.ObjectId;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The memory of event sequences is bounded in bytes, including everything that a sender can make long. */
class EventSequencerTrackerTest {
    private static final ObjectRef OBJECT = new ObjectRef(new BucketName("bucket"), new ObjectKey("k"));

    @Test
    void everyTextThatIsRememberedCounts() {
        int least = weight("v", "1", "i");

        assertThat(weight("v".repeat(1001), "1", "i")).isEqualTo(least + 2000);
        assertThat(weight("v", "1".repeat(51), "i")).isEqualTo(least + 100);
        assertThat(weight("v", "1", "i".repeat(1001))).isEqualTo(least + 2000);
    }

    /** Two events may be processed at one time, and the older one may end last. */
    @Test
    void latestEventStaysTheLatest() {
        EventSequencerTracker events = new EventSequencerTracker();
        ObjectId id = ObjectId.current("backend", OBJECT);

        events.processed(id, new EventSequencerValue("05", ""));
        events.processed(id, new EventSequencerValue("03", ""));

        assertThat(events.isNew(id, new EventSequencerValue("04", ""))).isFalse();
        assertThat(events.isNew(id, new EventSequencerValue("06", ""))).isTrue();
    }

    private static int weight(String versionId, String sequencer, String identity) {
        return EventSequencerTracker.weight(
                new ObjectId("backend", OBJECT, Optional.of(versionId)), new EventSequencerValue(sequencer, identity));
    }
}
