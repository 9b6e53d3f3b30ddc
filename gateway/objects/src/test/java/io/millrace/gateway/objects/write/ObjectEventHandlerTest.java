package io.millrace.gateway.objects.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Each event of a backend invalidates its object once, whatever the order in which events come. */
class ObjectEventHandlerTest {
    private final BucketView bucket = BucketViews.of("bucket", new InMemoryBackend(), "real", "");
    private final ObjectRef object = bucket.at(new ObjectKey("a"));
    private final RecordedInvalidations invalidations = new RecordedInvalidations();
    private final ObjectEventHandler events = new ObjectEventHandler(new FencedWrites(
            Optional.empty(),
            new CurrentObjectFinder(Optional.empty(), ObjectSourceFactory.BACKENDS, InstantSource.system()),
            invalidations));

    @Test
    void laterEventsAreProcessedAndOlderOnesAreNot() {
        assertThat(handle("0B")).isTrue();
        assertThat(handle("0B")).as("repeated").isFalse();
        assertThat(handle("0b")).as("repeated, in lower case").isFalse();
        assertThat(handle("0A")).as("older").isFalse();
        assertThat(handle("0C")).isTrue();
        assertThat(handle("0B")).as("older").isFalse();

        assertThat(invalidations.keys).containsExactly("a", "a");
    }

    @Test
    void eventsWithoutAPlaceAreAllProcessed() {
        assertThat(handle(object, Optional.empty(), Optional.empty())).isTrue();
        assertThat(handle(object, Optional.empty(), Optional.empty())).isTrue();

        assertThat(invalidations.keys).containsExactly("a", "a");
    }

    @Test
    void objectsAndVersionsHaveAnOrderOfTheirOwn() {
        EventSequencer late = new EventSequencer("0F", "");
        EventSequencer early = new EventSequencer("01", "");
        assertThat(handle(object, Optional.empty(), Optional.of(late))).isTrue();

        assertThat(handle(object, Optional.of("v1"), Optional.of(early))).isTrue();
        assertThat(handle(bucket.at(new ObjectKey("b")), Optional.empty(), Optional.of(early)))
                .isTrue();
        assertThat(handle(object, Optional.of("v1"), Optional.of(early))).isFalse();
    }

    @Test
    void eventOfTheSameNumberAndAnotherKindIsProcessed() {
        assertThat(handle(object, Optional.empty(), Optional.of(new EventSequencer("0A", "put"))))
                .isTrue();
        assertThat(handle(object, Optional.empty(), Optional.of(new EventSequencer("0A", "delete"))))
                .isTrue();
    }

    @Test
    void sequencersOfOtherLengthsAreUnordered() {
        assertThat(handle("0F00")).isTrue();
        assertThat(handle("0E")).isTrue();
        assertThat(handle("0D00"))
                .as("in place of the longer one came the shorter")
                .isTrue();
    }

    @Test
    void failedEventIsProcessedWhenItIsRepeated() {
        invalidations.outcome = Mono.error(new IOException("disk full"));
        assertThatThrownBy(() -> handle("0A")).hasRootCauseInstanceOf(IOException.class);

        invalidations.outcome = Mono.empty();
        assertThat(handle("0A")).isTrue();

        assertThat(invalidations.keys).containsExactly("a", "a");
    }

    private boolean handle(String sequencer) {
        return handle(object, Optional.empty(), Optional.of(new EventSequencer(sequencer, "")));
    }

    private boolean handle(ObjectRef changed, Optional<String> versionId, Optional<EventSequencer> order) {
        return events.handle(bucket, changed, versionId, order).blockOptional().orElseThrow();
    }

    /** Records the keys of the objects that were invalidated. */
    private static final class RecordedInvalidations implements WriteReplication {
        final List<String> keys = new ArrayList<>();
        Mono<Void> outcome = Mono.empty();

        @Override
        public Mono<Void> beginning(String backend, BucketName bucket) {
            return Mono.empty();
        }

        @Override
        public Mono<Void> written(Collection<ObjectId> ids, boolean acknowledged) {
            keys.add(ids.iterator().next().object().key().value());
            return outcome;
        }

        @Override
        public Mono<Void> invalidated(ObjectPrefix below) {
            return Mono.empty();
        }

        @Override
        public Mono<Void> bucketChanged(String backend, BucketName bucket) {
            return Mono.empty();
        }
    }
}
