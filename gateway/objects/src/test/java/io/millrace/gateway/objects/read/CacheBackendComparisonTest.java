package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.cache.BlockCache;
import io.millrace.cache.CacheReader;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.read.CacheBackendComparison.ComparisonResult;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/** Cached blocks that differ from the backend are dropped, and no others. */
@ExtendWith(BufferLeakExtension.class)
class CacheBackendComparisonTest {
    private static final int MIB = 1 << 20;
    private static final int SIZE = 2 * MIB + 5000;
    private static final ObjectRef OBJECT = new ObjectRef(new BucketName("bucket"), new ObjectKey("k/" + SIZE));
    private static final ObjectRef OTHER = new ObjectRef(new BucketName("bucket"), new ObjectKey("other/" + SIZE));
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final ComputedBackend computed = new ComputedBackend();
    private final List<Long> throttled = new CopyOnWriteArrayList<>();
    private volatile boolean mistakesSecondBlock;

    /** A backend that may take the second block from another object. */
    private final BucketView bucket = BucketViews.of(
            "bucket",
            new PassingBackend(computed) {
                @Override
                public Mono<ObjectContent> open(ReadRequest request) {
                    boolean second = request.selection() instanceof ByteSelection.RangeSelection range
                            && range.spec() instanceof RangeSpec.Bounded bounded
                            && bounded.first() == MIB;
                    return super.open(
                            mistakesSecondBlock && second
                                    ? ReadRequest.of(OTHER).withSelection(request.selection())
                                    : request);
                }
            },
            "bucket",
            "");

    @SuppressWarnings("NullAway.Init")
    private BlockCache cache;

    @SuppressWarnings("NullAway.Init")
    private ObjectMetadata metadata;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder);
        CurrentObjectFinder finder =
                new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system());
        CurrentObject.Cached found =
                (CurrentObject.Cached) finder.find(bucket, ReadRequest.of(OBJECT), RequestCacheControl.NONE, true)
                        .blockOptional(TIMEOUT)
                        .orElseThrow();
        metadata = found.metadata();
        found.read(new ByteRange(0, SIZE - 1))
                .cast(ByteBuf.class)
                .doOnNext(UploadBodies::takeBytes)
                .contextWrite(context -> context.put(CacheReader.BUFFERS_ONLY, true))
                .blockLast(TIMEOUT);
        Polling.until("it is stored", () -> cache.inventory().residentBytes(metadata) == SIZE);
    }

    @AfterEach
    void stop() {
        cache.close();
    }

    @Test
    void equalBlocksStay() {
        assertThat(compared()).isEqualTo(new ComparisonResult(SIZE, 0, 0, 0));

        assertThat(throttled).containsExactly((long) MIB, (long) MIB, 5000L);
        assertThat(cache.inventory().residentBytes(metadata)).isEqualTo(SIZE);
    }

    @Test
    void differentBlockIsDroppedAndNotComparedAgain() {
        mistakesSecondBlock = true;

        assertThat(compared()).isEqualTo(new ComparisonResult(SIZE, 1, 0, 0));
        assertThat(cache.inventory().residentBytes(metadata)).isEqualTo(SIZE - MIB);
        assertThat(compared()).isEqualTo(new ComparisonResult(SIZE - MIB, 0, 0, 0));
    }

    @Test
    void otherVersionAtTheBackendIsAFailure() {
        computed.replace(OBJECT.key().value());

        BackendException failure = catchThrowableOfType(BackendException.class, this::compared);

        assertThat(failure.kind()).isEqualTo(FailureKind.VERSION_CHANGED);
        assertThat(cache.inventory().residentBytes(metadata)).isEqualTo(SIZE);
    }

    @Test
    void resultsAddUp() {
        ComparisonResult sum = new ComparisonResult(1, 2, 3, 4)
                .plus(new ComparisonResult(10, 20, 30, 40))
                .plus(ComparisonResult.DAMAGED)
                .plus(ComparisonResult.UNREADABLE);

        assertThat(sum).isEqualTo(new ComparisonResult(11, 22, 34, 45));
    }

    private ComparisonResult compared() {
        return new CacheBackendComparison(cache.inventory())
                .compare(bucket, metadata, bytes -> Mono.fromRunnable(() -> throttled.add(bytes)))
                .reduce(ComparisonResult.NONE, ComparisonResult::plus)
                .blockOptional(TIMEOUT)
                .orElseThrow();
    }
}
