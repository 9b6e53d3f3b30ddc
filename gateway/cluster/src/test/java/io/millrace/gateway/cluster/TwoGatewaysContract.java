package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.read.CurrentObject;
import io.millrace.gateway.objects.read.RequestCacheControl;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/**
 * The protocol under the gateway's own cache, reads, lists and writes: a write through one of two gateways is seen at
 * the other.
 */
abstract class TwoGatewaysContract {
    @TempDir
    Path folder;

    private final InMemoryBackend backend = new InMemoryBackend(Set.of());
    private final BucketView bucket = BucketViews.of(
            "bucket",
            backend,
            "bucket",
            "",
            List.of(),
            new FreshnessSettings(
                    FreshnessSettings.Mode.IMMUTABLE,
                    Duration.ofMinutes(1),
                    Duration.ZERO,
                    Duration.ofMinutes(1),
                    Duration.ZERO,
                    Duration.ZERO));
    private final ObjectRef object = bucket.at(new ObjectKey("key"));
    private final ManualTime time = new ManualTime();
    private TestMember one;
    private TestMember other;

    /** Makes a gateway, which is not started yet. */
    abstract TestMember member(String name, String another, Path folder, ManualTime time) throws IOException;

    /** Loses all messages between the two, or no longer. */
    abstract void cut(boolean isCut);

    /** Returns how far time may go on while a message is under way. */
    abstract Duration step();

    @BeforeEach
    void start() throws IOException {
        backend.store(object, new byte[1], HeaderList.EMPTY);
        one = member("one", "other", folder.resolve("one"), time);
        other = member("other", "one", folder.resolve("other"), time);
        one.start();
        other.start();
        Polling.until("both have leases", () -> {
            time.advance(step());
            return Stream.of(one, other)
                    .map(TestMember::leases)
                    .allMatch(leases -> leases.isHeld() && leases.isReady());
        });
    }

    @AfterEach
    void stop() throws IOException {
        one.close();
        other.close();
    }

    @Test
    void acknowledgedWriteIsSeenAtTheOtherGateway() {
        find(other);
        assertThat(find(other).isForwarded()).isFalse();

        write(one, 2).join();

        assertThat(find(other).metadata().size()).isEqualTo(2);
        assertThat(find(other).isForwarded()).isFalse();
    }

    @Test
    void listsShowWritesOfTheOtherGateway() {
        assertThat(sizeInList(other)).isEqualTo(1);
        backend.store(object, new byte[3], HeaderList.EMPTY);
        assertThat(sizeInList(other)).isEqualTo(1);

        write(one, 2).join();

        assertThat(sizeInList(other)).isEqualTo(2);
    }

    @Test
    void invalidationAppliesAtTheOtherGateway() {
        find(other);
        backend.store(object, new byte[3], HeaderList.EMPTY);
        assertThat(find(other).metadata().size()).isEqualTo(1);

        one.cache().writes.invalidateBelow(bucket, "k").block();

        assertThat(find(other).metadata().size()).isEqualTo(3);
    }

    @Test
    void writeWaitsUntilAnUnheardGatewayRevalidates() {
        find(other);
        cut(true);
        CompletableFuture<?> written = write(one, 2);
        Polling.until(
                "it has reached the backend",
                () -> backend.head(ReadRequest.of(object))
                                .blockOptional()
                                .orElseThrow()
                                .head()
                                .size()
                        == 2);
        assertThat(find(other).metadata().size()).isEqualTo(1);
        assertThat(written).isNotDone();

        Polling.until("no lease can be held", () -> {
            time.advance(step());
            return written.isDone();
        });

        assertThat(other.leases().isHeld()).isFalse();
        assertThat(find(other).metadata().size()).isEqualTo(2);
        cut(false);
        Polling.until("the lease is held again", () -> {
            time.advance(step());
            return other.leases().isHeld();
        });
        assertThat(find(other).metadata().size()).isEqualTo(2);
    }

    private CompletableFuture<?> write(TestMember member, int size) {
        return member.cache()
                .writes
                .fenced(
                        bucket,
                        object,
                        Mono.fromCallable(() -> backend.store(object, new byte[size], HeaderList.EMPTY)))
                .toFuture();
    }

    private CurrentObject.Cached find(TestMember member) {
        return (CurrentObject.Cached) member.cache()
                .objects
                .find(bucket, ReadRequest.of(object), RequestCacheControl.NONE, false)
                .blockOptional()
                .orElseThrow();
    }

    private long sizeInList(TestMember member) {
        ListRequest request = new ListRequest(
                bucket.backendBucket(), "", "", new ListRequest.PageStart.FirstKey(), ListRequest.MAX_KEYS, false);
        return member.cache()
                .objects
                .list(bucket, request, RequestCacheControl.NONE)
                .blockOptional()
                .orElseThrow()
                .page()
                .objects()
                .get(0)
                .size();
    }
}
