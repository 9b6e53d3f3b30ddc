package io.millrace.cache;

import static io.millrace.backend.testkit.interleaving.InterleavingSearch.require;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.runConcurrently;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.search;

import io.millrace.backend.spi.BackendException;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.kit.async.SingleFlight;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** A strict caller gets the response to a request that was sent after its call, and every caller gets a response. */
class SingleFlightInterleavings {
    private static final ObjectId ID = TestCache.id("key");

    @Test
    void strictCallersGetResponsesToLaterRequests() {
        search("single-flight: strict callers get a response to a request sent after they arrived", () -> {
            Questions questions = new Questions(false);
            runConcurrently(() -> questions.ask(true), () -> questions.ask(true), () -> questions.ask(true));
            questions.check(3);
        });
    }

    @Test
    void failureOrWriteLeavesNoCallerWaiting() {
        search("single-flight: neither a failure nor a write leaves a caller waiting", () -> {
            Questions questions = new Questions(true);
            runConcurrently(() -> questions.ask(true), () -> questions.ask(false), () -> {
                questions.changes.incrementAndGet();
                questions.requests.forget(ID);
                questions.ask(false);
            });
            questions.check(3);
        });
    }

    /** An object that changes; each answer takes a thread of its own. */
    private static final class Questions {
        final SingleFlight<ObjectId, ObjectMetadata> requests = new SingleFlight<>();
        final AtomicInteger changes = new AtomicInteger(1);
        private final AtomicInteger underWay = new AtomicInteger();
        private final AtomicInteger sent = new AtomicInteger();
        private final AtomicInteger answered = new AtomicInteger();
        private final boolean firstFails;
        private String wrong = "";

        Questions(boolean firstFails) {
            this.firstFails = firstFails;
        }

        void ask(boolean strict) {
            int before = strict ? sent.get() : 0;
            int floor = strict ? 1 : changes.get();
            Supplier<Mono<ObjectMetadata>> request = () -> Mono.fromCallable(this::answer);
            (strict
                            ? requests.joinNext(ID, request)
                            : requests.join(ID, request).map(SingleFlight.Joined::value))
                    .subscribe(head -> compare(before, floor, head), failure -> answered.incrementAndGet());
        }

        void check(int all) {
            require(wrong.isEmpty(), wrong);
            require(answered.get() == all, answered + " of " + all + " have an answer");
        }

        private ObjectMetadata answer() {
            int number = sent.incrementAndGet();
            if (underWay.incrementAndGet() > 1 && !firstFails) {
                told("two questions at once");
            }
            int content = changes.get();
            underWay.decrementAndGet();
            if (firstFails && number == 1) {
                throw new BackendException(BackendException.FailureKind.UNAVAILABLE, "the first one fails");
            }
            return new ObjectMetadata(
                    ID, NumberedContents.head(content), number, true, false, Fingerprint.NONE, TestCache.BLOCK);
        }

        private void compare(int sentBefore, int floor, ObjectMetadata head) {
            if (head.fetchedAt() <= sentBefore) {
                told("question %d was sent before he came, who came behind %d".formatted(head.fetchedAt(), sentBefore));
            }
            if (NumberedContents.number(head) < floor) {
                told("content %d, but %d had been there".formatted(NumberedContents.number(head), floor));
            }
            answered.incrementAndGet();
        }

        private synchronized void told(String what) {
            wrong = what;
        }
    }
}
