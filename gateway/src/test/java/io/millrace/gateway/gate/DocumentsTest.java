package io.millrace.gateway.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.testkit.LeakGuard;
import io.millrace.gateway.error.S3Exception;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

@ExtendWith(LeakGuard.class)
class DocumentsTest {
    private final Documents documents = new Documents(1000);

    @Test
    void allOfThemHoldNoMoreThanThereIsRoomFor() {
        Sinks.Many<ByteBuf> first = Sinks.many().unicast().onBackpressureBuffer();
        Sinks.Many<ByteBuf> second = Sinks.many().unicast().onBackpressureBuffer();
        List<String> ends = new ArrayList<>();
        Disposable slow = read(first, ends);
        read(second, ends);

        first.tryEmitNext(piece(600)).orThrow();
        second.tryEmitNext(piece(400)).orThrow();
        assertThat(ends).isEmpty();
        second.tryEmitNext(piece(1)).orThrow();
        assertThat(ends).containsExactly("SlowDown");

        slow.dispose();
        assertThat(length(piece(1000))).isEqualTo(1000);
        assertThat(length(piece(1000))).isEqualTo(1000);
    }

    @Test
    void itCountsUntilWhatWasMadeOfItIsDone() {
        Sinks.One<Integer> made = Sinks.one();
        documents.with(body(piece(1000)), document -> made.asMono()).subscribe();

        assertThatThrownBy(() -> length(piece(1))).isInstanceOf(S3Exception.class);

        made.tryEmitValue(1).orThrow();
        assertThat(length(piece(1000))).isEqualTo(1000);
    }

    @Test
    void aLargeOneIsNotLookedAtOnTheThreadThatBroughtIt() {
        Documents large = new Documents(1 << 20);

        assertThat(thread(large, 100)).isEqualTo(Thread.currentThread().getName());
        assertThat(thread(large, 1 << 20)).startsWith("parallel-");
    }

    private static String thread(Documents documents, int bytes) {
        return documents
                .with(
                        body(piece(bytes)),
                        document -> Mono.just(Thread.currentThread().getName()))
                .blockOptional()
                .orElseThrow();
    }

    private Disposable read(Sinks.Many<ByteBuf> pieces, List<String> ends) {
        return documents
                .with(UploadBody.of(2000, pieces.asFlux()), document -> Mono.just(document.length))
                .subscribe(length -> ends.add("whole"), failure -> ends.add(((S3Exception) failure).code()));
    }

    private int length(ByteBuf piece) {
        return documents
                .with(body(piece), document -> Mono.just(document.length))
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
