package io.millrace.gateway.objects.derived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.ManualDemandReader;
import io.millrace.cache.BlockCache;
import io.millrace.cache.fill.BlockAvailability;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.archive.ArchiveMember;
import io.millrace.gateway.archive.ZipLocalHeader;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.kit.share.FairSemaphore;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A deflated member is decoded once for all who read it, its blocks stay, and wrong ones do not. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
class DecodedMemberTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** More than a fetch from a backend brings at once. */
    private static final int SIZE = 9_500_000;

    private static final DeflatedContent DEFLATED = DeflatedContent.of(SIZE);
    private static final ByteRange ALL = new ByteRange(0, SIZE - 1);
    private static final ObjectId ID =
            ObjectId.current("derived:zips", new ObjectRef(new BucketName("zips"), new ObjectKey("a.zip/name")));

    /** An archive of the one member, without its directory. */
    private static final TestArchiveBytes ARCHIVE = new TestArchiveBytes("a.zip", withHeader(DEFLATED.data()));

    @TempDir
    Path folder;

    private BlockCache cache;

    private static byte[] withHeader(byte[] data) {
        ByteBuffer archive =
                ByteBuffer.allocate(ZipLocalHeader.BYTES + data.length).order(ByteOrder.LITTLE_ENDIAN);
        archive.putInt(0, 0x04034b50).putShort(8, (short) 8);
        return archive.put(ZipLocalHeader.BYTES, data).array();
    }

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder);
        ARCHIVE.read().clear();
    }

    @AfterEach
    void stop() {
        Polling.until("fills have ended", () -> cache.administration().stats().fills() == 0);
        cache.close();
    }

    private DecodedMember honest() {
        return source(DEFLATED.member());
    }

    private DecodedMember source(ArchiveMember member) {
        return source(member, new MemberDecoders());
    }

    private static DecodedMember source(ArchiveMember member, MemberDecoders decoders) {
        Optional<ETag> tag = Optional.of(ETag.strong("member"));
        ObjectHead head = new ObjectHead(
                ObjectVersion.ofETag(tag, member.size(), Optional.empty()), tag, Optional.empty(), HeaderList.EMPTY);
        return new DecodedMember(ARCHIVE.open("1"), member, head, decoders, TierRequest.NONE);
    }

    /** Decoders of members that are not large. */
    private static MemberDecoders decoders(FairSemaphore slots) {
        return new MemberDecoders(slots, new FairSemaphore(0, 0, ArchiveFailures::tooManyDecoders));
    }

    private ObjectMetadata metadata(DecodedMember source) {
        return cache.reader().describe(ID, source.own(), 0);
    }

    private Flux<ByteBuf> open(DecodedMember source, ByteRange range) {
        return cache.reader().readBuffers(metadata(source), range, source, Optional.empty());
    }

    private byte[] read(DecodedMember source, ByteRange range) {
        return collected(open(source, range)).blockOptional(TIMEOUT).orElseThrow();
    }

    private static Mono<byte[]> collected(Flux<ByteBuf> body) {
        return Mono.defer(() -> {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            return body.doOnNext(piece -> {
                        byte[] bytes = new byte[piece.readableBytes()];
                        piece.readBytes(bytes).release();
                        all.writeBytes(bytes);
                    })
                    .then(Mono.fromSupplier(all::toByteArray));
        });
    }

    private boolean isResident() {
        return Boolean.TRUE.equals(
                cache.reader().isFullyResident(metadata(honest()), ALL).block(TIMEOUT));
    }

    private static long decodings() {
        return ARCHIVE.read().stream()
                .filter(range -> range.length() == DEFLATED.data().length)
                .count();
    }

    @Test
    void readersShareADecoding() {
        List<byte[]> contents = Flux.range(0, 4)
                .flatMap(reader -> collected(open(honest(), ALL)), 4)
                .collectList()
                .blockOptional(TIMEOUT)
                .orElseThrow();

        assertThat(contents).hasSize(4).allMatch(content -> Arrays.equals(content, DEFLATED.content()));
        assertThat(decodings()).isEqualTo(1);
        Polling.until("it is on a disk", this::isResident);
        assertThat(read(honest(), ALL)).isEqualTo(DEFLATED.content());
        assertThat(decodings()).isEqualTo(1);
    }

    @Test
    void rangeHasTheRestDecodedToo() {
        assertThat(read(honest(), new ByteRange(5, 99))).isEqualTo(Arrays.copyOfRange(DEFLATED.content(), 5, 100));

        Polling.until("all is on a disk", this::isResident);
        assertThat(decodings()).isEqualTo(1);
    }

    @Test
    void rangeInTheMiddleIsFoundFromTheFirstByteOn() {
        int first = SIZE / 2;

        assertThat(read(honest(), new ByteRange(first, first + 70_000)))
                .isEqualTo(Arrays.copyOfRange(DEFLATED.content(), first, first + 70_001));
        assertThat(read(honest(), ALL)).isEqualTo(DEFLATED.content());
        assertThat(decodings()).isEqualTo(2);
    }

    @Test
    void gapsAreFilledByOneDecoding() {
        assertThat(read(honest(), ALL)).isEqualTo(DEFLATED.content());
        Polling.until("all is on a disk", this::isResident);
        ObjectMetadata metadata = metadata(honest());
        for (long block = 1; block < metadata.blocks(); block += 2) {
            cache.inventory().removeBlock(metadata, block);
        }

        assertThat(read(honest(), ALL)).isEqualTo(DEFLATED.content());

        Polling.until("all is on a disk again", this::isResident);
        assertThat(decodings()).isEqualTo(2);
    }

    @Test
    void storedBlocksBehindAGapAreAvailableWhileItIsFilled() {
        assertThat(read(honest(), ALL)).isEqualTo(DEFLATED.content());
        Polling.until("all is on a disk", this::isResident);
        ObjectMetadata metadata = metadata(honest());
        cache.inventory().removeBlock(metadata, 1);
        MemberDecoders none = decoders(new FairSemaphore(0, 2, ArchiveFailures::tooManyDecoders));
        ManualDemandReader reader = new ManualDemandReader();
        open(source(DEFLATED.member(), none), new ByteRange(metadata.blockSize(), SIZE - 1))
                .subscribe(reader);
        reader.request(1);
        Polling.until("all from the gap on is claimed", () -> {
            long fills = cache.administration().stats().fills();
            return fills == metadata.blocks() - 1;
        });

        ByteRange behind = new ByteRange(2L * metadata.blockSize(), SIZE - 1);
        assertThat(cache.reader().availability(metadata, behind)).isEqualTo(BlockAvailability.AVAILABLE);

        reader.cancel();
    }

    @Test
    void decodingGoesOnWhenItsReaderLeaves() throws InterruptedException {
        ManualDemandReader reader = new ManualDemandReader();
        open(honest(), ALL).subscribe(reader);
        reader.request(2);
        reader.awaitPieces(2);

        reader.cancel();

        Polling.until("all is on a disk", this::isResident);
        assertThat(decodings()).isEqualTo(1);
    }

    @Test
    void blocksAreFoundAfterARestart() throws IOException {
        assertThat(read(honest(), ALL)).isEqualTo(DEFLATED.content());
        Polling.until("all is on a disk", this::isResident);
        cache.close();
        cache = CacheFixture.in(folder);

        assertThat(read(honest(), ALL)).isEqualTo(DEFLATED.content());
        assertThat(decodings()).isEqualTo(1);
    }

    @Test
    void wrongBlocksDoNotStay() {
        for (ArchiveMember lie : List.of(
                DEFLATED.member(0, SIZE, DEFLATED.crc32() + 1),
                DEFLATED.member(0, SIZE - 1, DEFLATED.crc32()),
                DEFLATED.member(0, SIZE + 1, DEFLATED.crc32()))) {
            DecodedMember source = source(lie);
            ByteRange whole = new ByteRange(0, lie.size() - 1);
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThatThrownBy(() -> read(source, whole))
                        .isInstanceOfSatisfying(
                                BackendException.class,
                                failure -> assertThat(failure.kind()).isEqualTo(FailureKind.INVALID_STATE));
                Polling.until("nothing stays", () -> {
                    long fills = cache.administration().stats().fills();
                    return fills == 0
                            && Long.valueOf(0)
                                    .equals(cache.reader()
                                            .countResidentBytes(metadata(source))
                                            .block(TIMEOUT));
                });
            }
        }
        assertThat(decodings()).isEqualTo(6);
    }

    /** All data are read for one byte of content, and a directory can say that they are the whole archive. */
    @Test
    void membersOfTooMuchContentOrDataAreNotDecoded() {
        long most = DecodedMember.MOST_BYTES;

        assertThat(DecodedMember.isTooLarge(deflated(most + most / 16, most))).isFalse();
        assertThat(DecodedMember.isTooLarge(deflated(1000, most + 1))).isTrue();
        assertThat(DecodedMember.isTooLarge(deflated(2 * most, 1))).isTrue();
    }

    private static ArchiveMember deflated(long data, long content) {
        return new ArchiveMember("name", 0, data, content, true, OptionalInt.empty());
    }

    @Test
    void anotherVersionIsAnotherObject() {
        DecodedMember source = honest();
        ObjectVersion other = ObjectVersion.ofETag(Optional.of(ETag.strong("other")), SIZE, Optional.empty());

        assertThatThrownBy(() -> source.fetch(other, ALL).blockLast(TIMEOUT))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(FailureKind.VERSION_CHANGED));
    }

    @Test
    void decodersWaitForTheirTurnAndGiveItBack() throws InterruptedException {
        MemberDecoders one = decoders(new FairSemaphore(1, 4, ArchiveFailures::tooManyDecoders));
        DecodedMember source = source(DEFLATED.member(), one);
        ManualDemandReader first = new ManualDemandReader();
        source.bytes(ALL).subscribe(first);
        first.request(1);
        first.awaitPieces(1);
        ManualDemandReader leaves = new ManualDemandReader();
        source.bytes(ALL).subscribe(leaves);
        ManualDemandReader last = new ManualDemandReader();
        source.bytes(ALL).subscribe(last);
        last.request(1);
        assertThat(last.pieces()).isZero();

        leaves.cancel();
        first.cancel();

        last.awaitPieces(1);
        last.cancel();
        assertThat(collected(source.bytes(new ByteRange(0, 9))).blockOptional(TIMEOUT))
                .hasValueSatisfying(bytes -> assertThat(bytes).hasSize(10));
    }

    /** Their first blocks would take all memory, and the one that is decoded would wait for its next block forever. */
    @Test
    void membersThatWaitForTheirTurnHoldNoMemory() throws IOException {
        cache.close();
        cache = CacheFixture.withLittleMemory(folder);
        MemberDecoders one = decoders(new FairSemaphore(1, 64, ArchiveFailures::tooManyDecoders));
        DecodedMember source = source(DEFLATED.member(), one);

        List<Long> sizes = Flux.range(0, 16)
                .map(number -> new ObjectKey("a.zip/" + number))
                .map(key -> ObjectId.current("derived:zips", new ObjectRef(new BucketName("zips"), key)))
                .map(id -> cache.reader().describe(id, source.own(), 0))
                .flatMap(metadata -> size(cache.reader().readBuffers(metadata, ALL, source, Optional.empty())), 16)
                .collectList()
                .blockOptional(TIMEOUT)
                .orElseThrow();

        assertThat(sizes).hasSize(16).allMatch(size -> size == SIZE);
    }

    private static Mono<Long> size(Flux<ByteBuf> body) {
        return body.map(piece -> {
                    long bytes = piece.readableBytes();
                    piece.release();
                    return bytes;
                })
                .reduce(0L, Long::sum);
    }

    @Test
    void whoLeavesBeforeItsTurnWaitsNoLonger() {
        FairSemaphore none = new FairSemaphore(0, 2, ArchiveFailures::tooManyDecoders);
        DecodedMember source = source(DEFLATED.member(), decoders(none));
        ManualDemandReader leaves = new ManualDemandReader();
        source.bytes(ALL).subscribe(leaves);
        assertThat(none.waiting()).isOne();

        leaves.cancel();

        assertThat(none.waiting()).isZero();
    }

    /** Their blocks would fill the heap while they wait. */
    @Test
    void largeMembersWaitInAQueueOfTheirOwn() {
        FairSemaphore small = new FairSemaphore(0, 2, ArchiveFailures::tooManyDecoders);
        FairSemaphore large = new FairSemaphore(0, 2, ArchiveFailures::tooManyDecoders);
        MemberDecoders none = new MemberDecoders(small, large);
        DecodedMember source = source(deflated(1000, MemberDecoders.LARGE), none);
        ManualDemandReader waiting = new ManualDemandReader();

        source.bytes(new ByteRange(0, 9)).subscribe(waiting);

        assertThat(large.waiting()).isOne();
        assertThat(small.waiting()).isZero();
        waiting.cancel();
    }

    @Test
    void tooManyWhoWaitAreRefused() {
        MemberDecoders none = decoders(new FairSemaphore(0, 2, ArchiveFailures::tooManyDecoders));
        DecodedMember source = source(DEFLATED.member(), none);
        ManualDemandReader waiting = new ManualDemandReader();
        source.bytes(ALL).subscribe(waiting);

        assertThatThrownBy(() -> source.bytes(ALL).blockLast(TIMEOUT))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(FailureKind.BUSY));
        waiting.cancel();
    }
}
