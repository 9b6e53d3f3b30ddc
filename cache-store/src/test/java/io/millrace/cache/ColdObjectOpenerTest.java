package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.metadata.ObjectId;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Unshared content belongs to one caller, who must release it; nobody else can after the caller has cancelled. */
class ColdObjectOpenerTest {
    private final UncachedObjectOpener openings = new UncachedObjectOpener();
    private final ObjectId id = TestCache.id("key");
    private final Sinks.One<ObjectContent> response = Sinks.one();
    private final AtomicBoolean discarded = new AtomicBoolean();

    @Test
    void discardsUnsharedContentIfItsReaderHasLeft() {
        Disposable leader = open(response.asMono()).subscribe();
        leader.dispose();

        response.tryEmitValue(content());

        assertThat(discarded).isTrue();
    }

    @Test
    void passesUnsharedContentToItsReader() {
        Sinks.One<UncachedOpenResult> got = Sinks.one();
        open(response.asMono()).subscribe(got::tryEmitValue);

        response.tryEmitValue(content());

        assertThat(got.asMono().block(Duration.ofSeconds(60))).isInstanceOf(UncachedOpenResult.Uncacheable.class);
        assertThat(discarded).isFalse();
    }

    @Test
    void emptyResponseFailsAndTheNextOpenRetries() {
        assertThatThrownBy(() -> open(Mono.empty()).block(Duration.ofSeconds(60)))
                .isInstanceOf(BackendException.class);

        response.tryEmitValue(content());
        assertThat(open(response.asMono()).block(Duration.ofSeconds(60)))
                .isInstanceOf(UncachedOpenResult.Uncacheable.class);
    }

    @Test
    void openAfterAWriteSendsItsOwnRequest() {
        Sinks.One<UncachedOpenResult> before = Sinks.one();
        open(response.asMono()).subscribe(before::tryEmitValue);
        openings.stopSharing(id);
        AtomicBoolean askedAgain = new AtomicBoolean();

        open(Mono.<ObjectContent>never().doOnSubscribe(s -> askedAgain.set(true)))
                .subscribe();

        assertThat(askedAgain).isTrue();
        response.tryEmitValue(content());
        assertThat(before.asMono().block(Duration.ofSeconds(60))).isInstanceOf(UncachedOpenResult.Uncacheable.class);
    }

    private Mono<UncachedOpenResult> open(Mono<ObjectContent> request) {
        return openings.open(id, Optional::empty, request, content -> Optional.empty(), UnaryOperator.identity());
    }

    private ObjectContent content() {
        Optional<ETag> tag = Optional.of(ETag.parse("W/\"x\""));
        ObjectHead head = new ObjectHead(
                ObjectVersion.ofETag(tag, 10, Optional.empty()), tag, Optional.empty(), HeaderList.EMPTY);
        return new ObjectContent(head, Optional.empty(), Flux.<ByteBuf>never().doOnSubscribe(s -> discarded.set(true)));
    }
}
