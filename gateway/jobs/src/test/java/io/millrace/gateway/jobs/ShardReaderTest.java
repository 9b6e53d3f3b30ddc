package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.config.DataSize;
import io.millrace.gateway.jobs.plan.JobLimits;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.PlanException;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.plan.PlanItem.Listed;
import io.millrace.gateway.jobs.store.JobStateThread;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.kit.async.RateLimiter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.publisher.TestPublisher;

/** Tests that any part of a shard is that of the whole, and how many members are opened before they are needed. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class ShardReaderTest {
    private static final BucketName IMAGES = new BucketName("images");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final InMemoryBackend images =
            new InMemoryBackend(EnumSet.of(Capability.WRITE, Capability.LIST)).createBucket(IMAGES);
    private final Random random = new Random(1);
    private JobStateThread thread;
    private ShardArrangement arrangement;

    @BeforeEach
    void arrange() throws IOException {
        thread = new JobStateThread();
        arrangement = new ShardArrangement(folder, thread);
        List<PlanItem> items = new ArrayList<>();
        for (int size : new int[] {0, 1, 511, 512, 513, 0, 2000}) {
            items.add(stored("%02d.bin".formatted(items.size()), size));
        }
        items.add(stored("d".repeat(90) + "/" + "n".repeat(150) + ".bin", 700));
        for (int i = 0; i < 600; i++) {
            items.add(stored("e/%03d.bin".formatted(i), random.nextInt(600)));
        }
        items.add(stored("\u00e9.bin", 3));
        items.add(stored("\u00e9.none", 0));
        JobSpec.Shards one = new JobSpec.Shards(
                JobSpec.ShardNames.parse("%01d.tar"),
                DataSize.ofGibibytes(1),
                Integer.MAX_VALUE,
                OptionalLong.empty(),
                OptionalInt.empty(),
                false);
        try (ArrangementWriter writer = new ArrangementWriter(arrangement, one, 0, true, 0)) {
            writer.add(items);
            writer.endListing();
            writer.finish();
        }
    }

    @AfterEach
    void stop() {
        thread.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 512, 513, 3000, 70_000})
    void partsOfAnyLengthMakeTheWhole(int length) {
        ShardReader reader = reader(images, ShardReader.LONGEST_WAIT);
        ShardArrangement.Shard shard =
                Objects.requireNonNull(arrangement.shard(0).block(JobsFixture.SOON));
        byte[] whole = bytes(reader.tar(shard, new ByteRange(0, shard.bytes() - 1)));
        NavigableMap<Long, ShardArrangement.Located> starts = new ConcurrentSkipListMap<>();
        ByteArrayOutputStream parts = new ByteArrayOutputStream();

        for (long first = 0; first < shard.bytes(); first += length) {
            long last = Math.min(shard.bytes(), first + length) - 1;
            parts.writeBytes(bytes(reader.tar(shard, new ByteRange(first, last), starts)));
        }

        assertThat(whole).hasSize((int) shard.bytes());
        assertThat(parts.toByteArray()).isEqualTo(whole);
        assertThat(starts).hasSize(2);
    }

    /** All have waited too long: a target may be slow, and its source gives up what nobody reads. */
    @Test
    void memberThatHasWaitedTooLongIsOpenedAgain() {
        ShardArrangement.Shard shard =
                Objects.requireNonNull(arrangement.shard(0).block(JobsFixture.SOON));
        ByteRange whole = new ByteRange(0, shard.bytes() - 1);
        CountingBackend source = new CountingBackend(images);

        byte[] again = bytes(reader(source.backend(), Duration.ZERO).tar(shard, whole));

        assertThat(again)
                .isEqualTo(bytes(reader(images, ShardReader.LONGEST_WAIT).tar(shard, whole)));
        assertThat(source.calls("open").values())
                .isNotEmpty()
                .allSatisfy(calls -> assertThat(calls).hasValue(2));
    }

    @Test
    void bufferDuringCancelIsReleased() {
        // Cancelled too late: it is handing on a buffer already.
        TestPublisher<ByteBuf> member = TestPublisher.createNoncompliant(TestPublisher.Violation.DEFER_CANCELLATION);
        Backend source = new PassingBackend(images) {
            @Override
            public Mono<ObjectContent> open(ReadRequest request) {
                return request.object().key().value().equals("01.bin")
                        ? inner.head(request)
                                .map(found -> new ObjectContent(found.head(), Optional.empty(), member.flux()))
                        : inner.open(request);
            }
        };
        ShardArrangement.Shard shard =
                Objects.requireNonNull(arrangement.shard(0).block(JobsFixture.SOON));
        ByteBuf late = Unpooled.copiedBuffer(new byte[] {1}).retain();

        Disposable part = reader(source, ShardReader.LONGEST_WAIT)
                .tar(shard, new ByteRange(0, shard.bytes() - 1))
                .doOnNext(ByteBuf::release)
                .subscribe();
        // Subscribed to is not enough: what nobody has requested yet is refused.
        Polling.until("the member is read", member::wasRequested);
        part.dispose();
        member.next(late);

        member.assertWasCancelled();
        assertThat(late.refCnt()).isEqualTo(1);
        late.release();
    }

    @Test
    void damagedArrangementMakesNoShard() throws IOException {
        ShardReader reader = reader(images, ShardReader.LONGEST_WAIT);
        ShardArrangement.Shard shard =
                Objects.requireNonNull(arrangement.shard(0).block(JobsFixture.SOON));
        byte[] members = Files.readAllBytes(arrangement.memberFile());
        reader.requireReadable(shard).block(JobsFixture.SOON);

        // Behind the length of the first name, which becomes that of another object.
        byte[] damaged = members.clone();
        damaged[Short.BYTES] ^= 1;
        Files.write(arrangement.memberFile(), damaged);
        assertUnreadable("it is damaged", () -> reader.requireReadable(shard).block(JobsFixture.SOON));
        Files.write(arrangement.memberFile(), Arrays.copyOf(members, members.length - 1));
        assertUnreadable(
                "it ends too early", () -> reader.requireReadable(shard).block(JobsFixture.SOON));
        Files.delete(arrangement.memberFile());
        assertUnreadable("there is no such file", () -> bytes(reader.tar(shard, new ByteRange(0, 1))));
        Files.write(arrangement.shardFile(), new byte[Long.BYTES + 1]);
        assertUnreadable("it ends too early", () -> arrangement.shard(0).block(JobsFixture.SOON));
    }

    private static void assertUnreadable(String why, ThrowingCallable reading) {
        assertThatThrownBy(reading)
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("cannot be read, " + why)
                .hasMessageEndingWith("submit the job again");
    }

    private ShardReader reader(Backend source, Duration longestWait) {
        return new ShardReader(
                BucketViews.of("images", source, "images", ""),
                Optional.empty(),
                key -> true,
                RateLimiter.of(OptionalLong.empty()),
                arrangement,
                0,
                8,
                longestWait);
    }

    @ParameterizedTest
    @CsvSource({"1, 8", "16, 8", "32, 4", "100, 1", "256, 1"})
    void moreWorkersOpenFewerMembersAhead(int workers, int ahead) {
        assertThat(ShardReader.ahead(new JobLimits(workers, Optional.empty(), OptionalInt.empty(), 8)))
                .isEqualTo(ahead);
    }

    @Test
    void underARateLimitNoneWaitsForOthers() {
        Optional<DataSize> slowly = Optional.of(DataSize.ofKibibytes(1));

        assertThat(ShardReader.ahead(new JobLimits(1, slowly, OptionalInt.empty(), 8)))
                .isEqualTo(1);
    }

    private PlanItem stored(String key, int size) {
        ObjectRef object = new ObjectRef(IMAGES, new ObjectKey(key));
        byte[] content = new byte[size];
        random.nextBytes(content);
        images.store(object, content, HeaderList.EMPTY);
        Listed listed = Listed.of(
                Objects.requireNonNull(images.head(ReadRequest.of(object)).block(JobsFixture.SOON))
                        .head());
        return new PlanItem(object.key(), Optional.of(listed), key);
    }

    private static byte[] bytes(Flux<ByteBuf> pieces) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        pieces.doOnNext(piece -> {
                    byte[] bytes = new byte[piece.readableBytes()];
                    piece.readBytes(bytes).release();
                    all.writeBytes(bytes);
                })
                .blockLast(JobsFixture.SOON);
        return all.toByteArray();
    }
}
