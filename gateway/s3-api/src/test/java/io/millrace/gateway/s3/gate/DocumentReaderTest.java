package io.millrace.gateway.s3.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.ManualPieces;
import io.millrace.gateway.error.S3Exception;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

@ExtendWith(BufferLeakExtension.class)
class DocumentReaderTest {
    /** 300 bytes are a reserve for documents of at most 10. */
    private final DocumentReader documents = new DocumentReader(1200, 10, Duration.ofMinutes(1));

    @Test
    void documentsOfAllShareOneMemoryLimit() {
        Sinks.Many<ByteBuf> first = Sinks.many().unicast().onBackpressureBuffer();
        Sinks.Many<ByteBuf> second = Sinks.many().unicast().onBackpressureBuffer();
        List<String> ends = new ArrayList<>();
        Disposable slow = read("one", first, ends);
        read("other", second, ends);

        first.tryEmitNext(piece(450)).orThrow();
        second.tryEmitNext(piece(225)).orThrow();
        assertThat(ends).isEmpty();
        second.tryEmitNext(piece(1)).orThrow();
        assertThat(ends).containsExactly("SlowDown");

        slow.dispose();
        assertThat(length(piece(450))).isEqualTo(450);
        assertThat(length(piece(450))).isEqualTo(450);
    }

    @Test
    void oneClientCannotUseAllMemory() {
        Sinks.Many<ByteBuf> all = Sinks.many().unicast().onBackpressureBuffer();
        List<String> ends = new ArrayList<>();
        read("greedy", all, ends);

        all.tryEmitNext(piece(451)).orThrow();

        assertThat(ends).containsExactly("SlowDown");
        assertThat(length(piece(450))).isEqualTo(450);
    }

    @Test
    void largeDocumentsOfManyLeaveRoomForSmallOnes() {
        List<String> ends = new ArrayList<>();
        for (int client = 0; client < 100; client++) {
            ends.clear();
            while (!ends.contains("SlowDown")) {
                Sinks.Many<ByteBuf> large = Sinks.many().unicast().onBackpressureBuffer();
                read("greedy " + client, large, ends);
                large.tryEmitNext(piece(11)).orThrow();
            }
        }

        assertThatThrownBy(() -> length(piece(11))).isInstanceOf(S3Exception.class);
        assertThat(length(piece(10))).isEqualTo(10);
    }

    @Test
    void smallDocumentsOfOneClientLeaveRoomForThoseOfOthers() {
        List<String> ends = new ArrayList<>();
        while (!ends.contains("SlowDown")) {
            Sinks.Many<ByteBuf> small = Sinks.many().unicast().onBackpressureBuffer();
            read("greedy", small, ends);
            small.tryEmitNext(piece(10)).orThrow();
        }

        assertThat(length(piece(10))).isEqualTo(10);
    }

    @Test
    void missingDocumentTimesOut() {
        DocumentReader hasty = new DocumentReader(1200, 10, Duration.ofMillis(100));

        assertThatThrownBy(() -> hasty.with("slow", UploadBody.of(10, Flux.never()), document -> Mono.just(1))
                        .block(Duration.ofSeconds(60)))
                .isInstanceOfSatisfying(
                        S3Exception.class, late -> assertThat(late.code()).isEqualTo("RequestTimeout"));
    }

    @Test
    void documentCountsUntilItIsProcessed() {
        Sinks.One<Integer> made = Sinks.one();
        documents.with("first", body(piece(450)), document -> made.asMono()).subscribe();
        documents.with("second", body(piece(225)), document -> made.asMono()).subscribe();

        assertThatThrownBy(() -> length(piece(113))).isInstanceOf(S3Exception.class);

        made.tryEmitValue(1).orThrow();
        assertThat(length(piece(450))).isEqualTo(450);
    }

    @Test
    void processesLargeDocumentsOffTheEventLoop() {
        DocumentReader large = new DocumentReader(4 << 20, 64 << 10, Duration.ofMinutes(1));

        assertThat(thread(large, 100)).isEqualTo(Thread.currentThread().getName());
        assertThat(thread(large, 1 << 20)).startsWith("parallel-");
    }

    @Test
    void pieceThatComesWithACancellationIsReleased() {
        ManualPieces pieces = new ManualPieces();
        Disposable reading = documents
                .with("anybody", UploadBody.of(100, pieces), document -> Mono.just(document.length))
                .subscribe();
        ByteBuf first = piece(10);
        ByteBuf late = piece(10);

        pieces.emit(first);
        reading.dispose();
        pieces.emit(late);

        assertThat(first.refCnt()).isZero();
        assertThat(late.refCnt()).isZero();
    }

    private static String thread(DocumentReader documents, int bytes) {
        return documents
                .with(
                        "anybody",
                        body(piece(bytes)),
                        document -> Mono.just(Thread.currentThread().getName()))
                .blockOptional()
                .orElseThrow();
    }

    private Disposable read(String who, Sinks.Many<ByteBuf> pieces, List<String> ends) {
        return documents
                .with(who, UploadBody.of(2000, pieces.asFlux()), document -> Mono.just(document.length))
                .subscribe(length -> ends.add("whole"), failure -> ends.add(((S3Exception) failure).code()));
    }

    private int length(ByteBuf piece) {
        return documents
                .with("anybody", body(piece), document -> Mono.just(document.length))
                .blockOptional()
                .orElseThrow();
    }

    private static UploadBody body(ByteBuf piece) {
        return UploadBody.of(piece.readableBytes(), Flux.just(piece));
    }

    private static ByteBuf piece(int bytes) {
        return ByteBufAllocator.DEFAULT.buffer(bytes).writeZero(bytes);
    }
}
