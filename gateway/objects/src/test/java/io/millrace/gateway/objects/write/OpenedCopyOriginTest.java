package io.millrace.gateway.objects.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The opened source of a copy is read once or discarded, and holds no connection after its copy. */
class OpenedCopyOriginTest {
    private static final Optional<ETag> TAG = Optional.of(ETag.strong("v"));
    private static final ObjectHead HEAD =
            new ObjectHead(ObjectVersion.ofETag(TAG, 0, Optional.empty()), TAG, Optional.empty(), HeaderList.EMPTY);

    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger cancelled = new AtomicInteger();
    private final Flux<ByteBuf> bytes = Flux.<ByteBuf>empty()
            .doOnSubscribe(reader -> opened.incrementAndGet())
            .doOnCancel(cancelled::incrementAndGet);
    private final ObjectContent content = new ObjectContent(HEAD, Optional.empty(), bytes);

    @Test
    void bytesThatAreReadAreNotDiscarded() {
        assertThat(OpenedCopyOrigin.use(
                                content,
                                origin -> origin.body()
                                        .pieces()
                                        .then(Mono.just(origin.body().length())))
                        .block())
                .isZero();

        assertThat(opened).hasValue(1);
        assertThat(cancelled).hasValue(0);
    }

    @Test
    void copyThatFailsBeforeItReadsDiscardsTheSource() {
        assertThatThrownBy(
                        () -> OpenedCopyOrigin.use(content, origin -> Mono.error(new IllegalStateException("refused")))
                                .block())
                .hasMessage("refused");

        assertThat(cancelled).hasValue(1);
    }

    @Test
    void copyThatIsCancelledBeforeItReadsDiscardsTheSource() {
        Disposable copy = OpenedCopyOrigin.use(content, origin -> Mono.never()).subscribe();
        assertThat(cancelled).hasValue(0);

        copy.dispose();

        assertThat(cancelled).hasValue(1);
    }

    @Test
    void sourceIsReadOnceAndNotAfterItsCopy() {
        AtomicReference<Flux<ByteBuf>> body = new AtomicReference<>(Flux.empty());
        Mono<String> unread = OpenedCopyOrigin.use(content, origin -> {
            body.set(origin.body().pieces());
            return Mono.just("done");
        });
        assertThat(unread.block()).isEqualTo("done");
        assertThat(opened).as("to be discarded").hasValue(1);

        assertThatThrownBy(() -> Flux.defer(body::get).blockLast()).hasMessageContaining("closed");
        assertThat(opened).hasValue(1);

        Mono<ByteBuf> twice = OpenedCopyOrigin.use(
                content,
                origin -> origin.body().pieces().then(origin.body().pieces().next()));
        assertThatThrownBy(twice::block).hasMessageContaining("closed");
        assertThat(opened).hasValue(2);
    }
}
