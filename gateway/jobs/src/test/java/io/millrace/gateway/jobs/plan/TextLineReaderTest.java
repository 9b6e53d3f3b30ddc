package io.millrace.gateway.jobs.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Buffers of a list of keys are released, however the list ends. */
@ExtendWith(BufferLeakExtension.class)
class TextLineReaderTest {
    private static final int LINES = 10_000;
    private static final String TEXT =
            IntStream.range(0, LINES).mapToObj(TextLineReaderTest::line).collect(Collectors.joining("\n"));

    private final List<ByteBuf> pieces = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readsAllLines(boolean gzipped) {
        StepVerifier.create(lines(TEXT, gzipped).index())
                .thenConsumeWhile(
                        line -> true,
                        line -> assertThat(line.getT2())
                                .isEqualTo(line(line.getT1().intValue())))
                .verifyComplete();
        assertReleased();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void releasesBuffersAfterCancel(boolean gzipped) {
        // Several buffers, so that some subscribers cancel between two of them.
        for (int wanted = 0; wanted < 200; wanted++) {
            List<String> seen = new ArrayList<>();
            BaseSubscriber<String> reader = new BaseSubscriber<>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {}

                @Override
                protected void hookOnNext(String line) {
                    seen.add(line);
                }
            };
            lines(TEXT, gzipped).subscribe(reader);
            reader.request(wanted + 1L);
            reader.cancel();
            assertThat(seen).hasSize(wanted + 1);
            assertReleased();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void releasesBuffersAfterTooLongLine(boolean gzipped) {
        StepVerifier.create(lines("b".repeat(100_000) + "\n" + TEXT, gzipped)).verifyError(PlanException.class);
        assertReleased();
    }

    @Test
    void releasesInvalidGzip() {
        StepVerifier.create(TextLineReader.of(TextLineReader.unzipped(body(TEXT.getBytes(StandardCharsets.UTF_8)))))
                .verifyError();
        assertReleased();
    }

    @Test
    void decompressesNothingAfterClose() {
        GzipDecompressor gunzip = new GzipDecompressor();
        ByteBuf piece = ByteBufAllocator.DEFAULT.buffer().writeBytes(zipped(new byte[10]));

        gunzip.close();

        assertThat(gunzip.decompress(piece).isReadable()).isFalse();
        assertThat(piece.refCnt()).isZero();
    }

    private Flux<String> lines(String text, boolean gzipped) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return TextLineReader.of(gzipped ? TextLineReader.unzipped(body(zipped(bytes))) : body(bytes));
    }

    private Flux<ByteBuf> body(byte[] bytes) {
        int size = 512;
        // Hidden, because a network source cannot be fused with its subscriber.
        return Flux.range(0, (bytes.length + size - 1) / size)
                .map(i -> {
                    ByteBuf piece = ByteBufAllocator.DEFAULT
                            .buffer()
                            .writeBytes(bytes, i * size, Math.min(size, bytes.length - i * size));
                    pieces.add(piece);
                    return piece;
                })
                .hide();
    }

    private void assertReleased() {
        assertThat(pieces).allSatisfy(piece -> assertThat(piece.refCnt()).isZero());
    }

    private static String line(int number) {
        return "folder/%016x".formatted(number * 0x9E3779B97F4A7C15L);
    }

    private static byte[] zipped(byte[] bytes) {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(zipped)) {
            gzip.write(bytes);
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
        return zipped.toByteArray();
    }
}
