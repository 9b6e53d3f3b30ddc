package io.millrace.gateway.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.archive.TarEntryHeader;
import io.millrace.gateway.s3.gate.BatchTally;
import io.millrace.gateway.s3.protocol.S3Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ReferenceCounted;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
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
                        new BucketName("data"), new ObjectKey("o-" + i), Optional.empty(), Optional.empty()))
                .toList();
        new BatchTar(new BatchRequest(asked, true, true), this::open, new BatchTally(items)).subscribe(reader);
    }

    private Mono<S3Response> open(int item) {
        opened.add(item);
        return responses.get(item).asMono();
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
    void itemWhoseBodyHasAnotherLengthMakesTheTarFail(int length) {
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
}
