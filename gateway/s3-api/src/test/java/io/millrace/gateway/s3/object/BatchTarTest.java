package io.millrace.gateway.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.archive.TarEntryHeader;
import io.millrace.gateway.objects.read.CacheStatus;
import io.millrace.gateway.s3.gate.BatchTally;
import io.millrace.gateway.s3.protocol.S3Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ReferenceCounted;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The tar of a batch has its items in their order, however their responses come, and holds little for them. */
class BatchTarTest {
    private static final int ITEMS = 40;

    private final List<Sinks.One<S3Response>> responses =
            IntStream.range(0, ITEMS).mapToObj(i -> Sinks.<S3Response>one()).toList();
    private final List<ByteBuf> contents = new ArrayList<>();
    private final List<Integer> opened = new ArrayList<>();
    private final Reader reader = new Reader();

    /** A reader that takes all at once. */
    private static final class Reader extends BaseSubscriber<ReferenceCounted> {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final List<Throwable> failures = new ArrayList<>();
        private int unused;
        private boolean complete;

        @Override
        protected void hookOnNext(ReferenceCounted piece) {
            ByteBuf buffer = (ByteBuf) piece;
            unused += buffer.capacity() - buffer.readableBytes();
            byte[] content = new byte[buffer.readableBytes()];
            buffer.readBytes(content);
            bytes.writeBytes(content);
            buffer.release();
        }

        @Override
        protected void hookOnComplete() {
            complete = true;
        }

        @Override
        protected void hookOnError(Throwable failure) {
            failures.add(failure);
        }

        private List<String> names() throws IOException {
            List<String> names = new ArrayList<>();
            try (TarArchiveInputStream tar =
                    new TarArchiveInputStream(new ByteArrayInputStream(bytes.toByteArray()), "UTF-8")) {
                for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                    assertThat(tar.readAllBytes()).hasSize((int) entry.getSize());
                    names.add(entry.getName() + ":" + entry.getSize());
                }
            }
            return names;
        }
    }

    private void read(int items) {
        List<BatchItem> asked = IntStream.range(0, items)
                .mapToObj(i -> new BatchItem(
                        new BucketName("data"), new ObjectKey("o-" + i), Optional.empty(), false, Optional.empty()))
                .toList();
        read(asked, false, Flux.range(0, items).map(i -> new BatchEntry(i, "o-" + i, 0, open(i))));
    }

    private void read(List<BatchItem> asked, boolean wantsHeads, Flux<BatchEntry> entries) {
        new BatchTar(
                        "request-1",
                        new BatchRequest(asked, true, true, wantsHeads),
                        entries,
                        new BatchTally(asked.size()))
                .subscribe(reader);
    }

    private Mono<S3Response> open(int item) {
        return Mono.defer(() -> {
            opened.add(item);
            return responses.get(item).asMono();
        });
    }

    private void respond(int item, S3Response.Body body) {
        responses
                .get(item)
                .tryEmitValue(new S3Response(200, HeaderList.EMPTY, body))
                .orThrow();
    }

    /** Answers an item with as many bytes as its number. */
    private void respond(int item) {
        ByteBuf content = Unpooled.wrappedBuffer(new byte[item]);
        contents.add(content);
        respond(item, new S3Response.Buffer(content));
    }

    private static List<String> expected() {
        return IntStream.range(0, ITEMS).mapToObj(i -> "o-" + i + ":" + i).toList();
    }

    @Test
    void itemsAreInOrderThoughTheirResponsesAreNot() throws IOException {
        read(ITEMS);
        for (int item = ITEMS - 1; item >= 0; item--) {
            assertThat(reader.complete).isFalse();
            respond(item);
        }

        assertThat(reader.complete).isTrue();
        assertThat(reader.names()).isEqualTo(expected());
        assertThat(opened).isEqualTo(IntStream.range(0, ITEMS).boxed().toList());
    }

    /** A slow reader is given a window of bytes: buffers with room for more would hold many times as much. */
    @Test
    void buffersOfItemsThatComeOneByOneHaveNoRoomForMore() throws IOException {
        read(ITEMS);
        for (int item = 0; item < ITEMS; item++) {
            respond(item);
            assertThat(reader.bytes.size()).isGreaterThanOrEqualTo((item + 1) * TarEntryHeader.BLOCK);
        }

        assertThat(reader.complete).isTrue();
        assertThat(reader.names()).isEqualTo(expected());
        assertThat(reader.unused).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 11})
    void bodyOfAnotherLengthMakesTheTarFail(int length) {
        read(2);
        respond(1);
        Flux<ReferenceCounted> pieces =
                Flux.just(Unpooled.wrappedBuffer(new byte[6]), Unpooled.wrappedBuffer(new byte[length - 6]));

        respond(0, new S3Response.CachedContent(10, pieces, () -> {}));

        assertThat(reader.complete).isFalse();
        assertThat(reader.bytes.size()).isLessThan(TarEntryHeader.BLOCK + 10);
        assertThat(reader.failures)
                .singleElement()
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(FailureKind.INVALID_RESPONSE));
        assertThat(contents).allMatch(content -> content.refCnt() == 0);
    }

    /** What is cached says nothing of others while some of them are seen to come past the cache. */
    @Test
    void itemsThatComePastTheCacheAreFewAmongOthersToo() {
        for (int item = 1; item < ITEMS; item += 2) {
            respond(item);
        }
        read(ITEMS);
        assertThat(opened).hasSize(BatchTar.AHEAD);

        for (int item = BatchTar.AHEAD - 2; item >= 0; item -= 2) {
            if (item != 20) {
                respondPastCache(item);
            }
        }

        // Of the items from 20 on they are 20, 22 and so on up to 34.
        assertThat(opened).hasSize(35);
    }

    private void respondPastCache(int item) {
        ByteBuf content = Unpooled.wrappedBuffer(new byte[1]);
        S3Response.Body body = new S3Response.CachedContent(1, Flux.just(content), content::release);
        responses
                .get(item)
                .tryEmitValue(new S3Response(200, HeaderList.EMPTY, body).withCacheStatus(CacheStatus.BYPASS))
                .orThrow();
    }

    @Test
    void itemWithoutAResponseIsOneThatFailed() throws IOException {
        read(2);
        responses.get(0).tryEmitEmpty().orThrow();
        respond(1);

        assertThat(reader.complete).isTrue();
        assertThat(reader.names()).containsExactly("__404__/o-0:0", "o-1:1");
        assertThat(reader.bytes.toString(StandardCharsets.US_ASCII)).contains(" MILLRACE.code=InternalError\n");
    }

    @Test
    void readerThatLeavesHasAllReleasedThatWasOpened() {
        read(ITEMS);
        for (int item = 1; item < ITEMS; item++) {
            respond(item);
        }
        assertThat(opened).hasSize(BatchTar.AHEAD);

        reader.cancel();

        assertThat(contents.subList(0, BatchTar.AHEAD - 1)).allMatch(content -> content.refCnt() == 0);
        assertThat(opened).hasSize(BatchTar.AHEAD);
    }

    /** Two items, of which the second is a sample whose members are told late. */
    private Sinks.Many<BatchEntry> readWithSample(boolean wantsHeads) {
        BatchItem object =
                new BatchItem(new BucketName("data"), new ObjectKey("o-0"), Optional.empty(), false, Optional.empty());
        Sinks.Many<BatchEntry> entries = Sinks.many().unicast().onBackpressureBuffer();
        read(List.of(object, object), wantsHeads, entries.asFlux());
        entries.tryEmitNext(new BatchEntry(0, "o-0", 0, open(0))).orThrow();
        return entries;
    }

    @Test
    void entriesThatComeLateAreWaitedFor() throws IOException {
        Sinks.Many<BatchEntry> entries = readWithSample(false);
        respond(0);
        assertThat(reader.complete).isFalse();

        entries.tryEmitNext(new BatchEntry(1, "a.jpg", 2, open(1))).orThrow();
        entries.tryEmitNext(new BatchEntry(1, "a.txt", 0, open(2))).orThrow();
        respond(2);
        respond(1);
        assertThat(reader.complete).isFalse();
        entries.tryEmitComplete().orThrow();

        assertThat(reader.complete).isTrue();
        assertThat(reader.names()).containsExactly("o-0:0", "a.jpg:1", "a.txt:2");
    }

    @Test
    void tarThatLacksAnItemFails() {
        Sinks.Many<BatchEntry> entries = readWithSample(false);
        respond(0);

        entries.tryEmitComplete().orThrow();

        assertThat(reader.complete).isFalse();
        assertThat(reader.failures).singleElement().isInstanceOf(IllegalStateException.class);
    }

    @Test
    void entriesThatFailMakeTheTarFail() {
        Sinks.Many<BatchEntry> entries = readWithSample(false);
        ByteBuf content = Unpooled.wrappedBuffer(new byte[1]);
        contents.add(content);
        entries.tryEmitNext(new BatchEntry(1, "a.txt", 1, open(1))).orThrow();
        respond(1, new S3Response.Buffer(content));

        entries.tryEmitError(new IllegalStateException("none")).orThrow();

        assertThat(reader.failures).singleElement().isInstanceOf(IllegalStateException.class);
        assertThat(contents).allMatch(buffer -> buffer.refCnt() == 0);
    }

    @Test
    void readerThatLeavesWaitsForNoEntries() {
        Sinks.Many<BatchEntry> entries = readWithSample(false);
        assertThat(entries.currentSubscriberCount()).isEqualTo(1);

        reader.cancel();

        assertThat(entries.currentSubscriberCount()).isZero();
    }

    @Test
    void headsAreEmptyFiles() throws IOException {
        Sinks.Many<BatchEntry> entries = readWithSample(true);
        entries.tryEmitNext(new BatchEntry(1, "a.txt", 1, open(1))).orThrow();
        entries.tryEmitComplete().orThrow();
        responses
                .get(0)
                .tryEmitValue(new S3Response(
                        200, HeaderList.EMPTY.with("etag", "\"1\""), new S3Response.NoBody(9_000_000_000L)))
                .orThrow();
        respond(1, new S3Response.NoBody(0));

        assertThat(reader.complete).isTrue();
        assertThat(reader.names()).containsExactly("o-0:0", "a.txt:0");
        assertThat(reader.bytes.toString(StandardCharsets.US_ASCII))
                .contains(" MILLRACE.size=9000000000\n", " MILLRACE.etag=\"1\"\n", " MILLRACE.members=1\n");
    }
}
