package io.millrace.cache;

import static io.millrace.backend.testkit.interleaving.InterleavingSearch.require;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.runConcurrently;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.search;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Concurrent opens cost one request, an open after a write gets no older content, and content for one caller is not
 * leaked.
 */
class ColdObjectOpenerInterleavings {
    private static final ObjectId ID = TestCache.id("key");

    @Test
    void concurrentOpensCostOneRequest() {
        search("openings: concurrent readers cost one request", () -> {
            OpenedOnce requested = new OpenedOnce(true);
            runConcurrently(requested::ask, requested::ask, requested::ask);
            require(requested.requests.get() == 1, "requests: " + requested.requests);
            require(requested.answers.get() == 3, "answers: " + requested.answers);
        });
    }

    @Test
    void readerAfterAWriteGetsNothingOlder() {
        search("openings: a reader after a write gets nothing requested before it", () -> {
            OpenedOnce requested = new OpenedOnce(false);
            AtomicInteger acknowledged = new AtomicInteger(1);
            Runnable read = () -> {
                int floor = acknowledged.get();
                requested
                        .open()
                        .subscribe(opened -> requested.compare(floor, ((UncachedOpenResult.Cached) opened).metadata()));
            };
            runConcurrently(read, read, () -> {
                requested.now.set(2);
                requested.openings.stopSharing(ID);
                acknowledged.set(2);
            });
            require(requested.wrong.isEmpty(), requested.wrong);
            require(requested.answers.get() == 2, "answers: " + requested.answers);
        });
    }

    @Test
    void contentForOneIsHisOrGivenUp() {
        search(
                "openings: a response that cannot be shared goes to its reader or is dropped once, whoever cancels",
                () -> {
                    Unshared unshared = new Unshared();
                    AtomicInteger others = new AtomicInteger();
                    Disposable leader = unshared.open().subscribe(unshared::got);
                    runConcurrently(
                            unshared::answer,
                            leader::dispose,
                            () -> unshared.open().subscribe(opened -> {
                                unshared.got(opened);
                                others.incrementAndGet();
                            }));
                    unshared.answer();
                    require(others.get() == 1, "the other had " + others + " answers");
                    require(
                            unshared.used.get() == unshared.sent.get(),
                            unshared.used + " of " + unshared.sent + " are used");
                });
    }

    /** One object, and what a cache remembers of it if it does. */
    private static final class OpenedOnce {
        final UncachedObjectOpener openings = new UncachedObjectOpener();
        final AtomicInteger now = new AtomicInteger(1);
        final AtomicInteger requests = new AtomicInteger();
        final AtomicInteger answers = new AtomicInteger();
        private final AtomicReference<Optional<ObjectMetadata>> known = new AtomicReference<>(Optional.empty());
        private final boolean remembers;
        private String wrong = "";

        OpenedOnce(boolean remembers) {
            this.remembers = remembers;
        }

        Mono<UncachedOpenResult> open() {
            return openings.open(ID, known::get, Mono.fromCallable(this::answer), this::keep, UnaryOperator.identity());
        }

        void ask() {
            open().subscribe(opened -> answers.incrementAndGet());
        }

        synchronized void compare(int floor, ObjectMetadata head) {
            if (NumberedContents.number(head) < floor) {
                wrong = "saw %d, but %d had been acknowledged".formatted(NumberedContents.number(head), floor);
            }
            answers.incrementAndGet();
        }

        private ObjectContent answer() {
            requests.incrementAndGet();
            return new ObjectContent(NumberedContents.head(now.get()), Optional.empty(), Flux.empty());
        }

        private Optional<UncachedOpenResult.Cached> keep(ObjectContent content) {
            ObjectMetadata kept = NumberedContents.cached(ID, content.head());
            if (remembers) {
                known.set(Optional.of(kept));
            }
            return Optional.of(new UncachedOpenResult.Cached(kept, true, Optional.empty()));
        }
    }

    /** An object that cannot be cached. Its answers come when the round says so. */
    private static final class Unshared {
        private final UncachedObjectOpener openings = new UncachedObjectOpener();
        private final AtomicReference<List<MonoSink<ObjectContent>>> waiting = new AtomicReference<>(List.of());
        final AtomicInteger sent = new AtomicInteger();
        final AtomicInteger used = new AtomicInteger();

        Mono<UncachedOpenResult> open() {
            Mono<ObjectContent> request = Mono.create(sink -> waiting.updateAndGet(before -> {
                List<MonoSink<ObjectContent>> more = new ArrayList<>(before);
                more.add(sink);
                return more;
            }));
            return openings.open(ID, Optional::empty, request, content -> Optional.empty(), UnaryOperator.identity());
        }

        void answer() {
            for (MonoSink<ObjectContent> sink : waiting.getAndSet(List.of())) {
                sent.incrementAndGet();
                Flux<ByteBuf> body = Flux.<ByteBuf>never().doOnSubscribe(s -> used.incrementAndGet());
                sink.success(new ObjectContent(NumberedContents.head(1), Optional.empty(), body));
            }
        }

        void got(UncachedOpenResult opened) {
            if (opened instanceof UncachedOpenResult.Uncacheable passed) {
                passed.content().body().subscribe();
            }
        }
    }
}
