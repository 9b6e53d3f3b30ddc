package io.millrace.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.ReservedPort;
import io.millrace.config.DataSize;
import io.millrace.loadgen.client.BucketAddress;
import io.millrace.loadgen.client.GeneratedObjects;
import io.millrace.loadgen.client.KeyOrder;
import io.millrace.loadgen.client.ObjectCatalog;
import io.millrace.loadgen.client.OutgoingRequestSigner;
import io.millrace.loadgen.client.S3ConnectionFactory;
import io.millrace.loadgen.client.SizeDistribution;
import io.millrace.loadgen.client.TestObject;
import io.millrace.loadgen.origin.SyntheticOrigin;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** Tests phases against servers: what is right, wrong and lost, the pace, and the end. */
class PhaseRunnerTest {
    private static final ObjectCatalog OBJECTS = new GeneratedObjects("p/", 50, SizeDistribution.parse("1..100KiB"));

    @Test
    void wholeObjectsRangesAndTailsAreRight() throws InterruptedException {
        DisposableServer origin = new SyntheticOrigin(Duration.ZERO).listen("127.0.0.1", 0);
        try {
            PhaseResult result =
                    run(origin.port(), OBJECTS, phase("get:1, range:1, tail:1, head:1", "200", Optional.empty()));

            assertThat(result.right()).isEqualTo(200);
            assertThat(result.notRight()).isZero();
            assertThat(result.operations()).hasSize(4).allSatisfy(operation -> {
                assertThat(operation.right()).isPositive();
                assertThat(operation.whole().at(99))
                        .isGreaterThanOrEqualTo(operation.firstByte().at(50));
            });
        } finally {
            origin.disposeNow();
        }
    }

    @Test
    void otherBytesOfTheSameLengthAreWrong() throws InterruptedException {
        DisposableServer liar = serving(new byte[1000], "\"no-md5\"");
        try {
            ObjectCatalog objects = new GeneratedObjects("p/", 1, SizeDistribution.parse("1000"));

            OperationResult gets = run(liar.port(), objects, phase("get", "3", Optional.empty()))
                    .operations()
                    .get(0);

            assertThat(gets.wrong()).isEqualTo(3);
            assertThat(gets.right()).isZero();
        } finally {
            liar.disposeNow();
        }
    }

    @Test
    void objectsOfUnknownBytesAreCheckedByTheirEtag() throws InterruptedException {
        ObjectCatalog objects = new ExistingObjects(List.of(TestObject.existing("a", 3)));
        DisposableServer honest = serving(
                "abc".getBytes(java.nio.charset.StandardCharsets.UTF_8), "\"900150983cd24fb0d6963f7d28e17f72\"");
        DisposableServer liar = serving(
                "abd".getBytes(java.nio.charset.StandardCharsets.UTF_8), "\"900150983cd24fb0d6963f7d28e17f72\"");
        try {
            assertThat(run(honest.port(), objects, phase("get", "2", Optional.empty()))
                            .right())
                    .isEqualTo(2);
            assertThat(run(liar.port(), objects, phase("get", "2", Optional.empty()))
                            .operations()
                            .get(0)
                            .wrong())
                    .isEqualTo(2);
        } finally {
            honest.disposeNow();
            liar.disposeNow();
        }
    }

    @Test
    void abortsAPhaseThatOnlyFails() throws IOException, InterruptedException {
        try (ReservedPort nobody = new ReservedPort()) {
            PhaseResult result =
                    run(nobody.number(), OBJECTS, phase("get", "100000", Optional.empty()), Duration.ofSeconds(1));

            assertThat(result.right()).isZero();
            assertThat(result.failures().get(0).reason()).contains("refused");
            assertThat(result.stopped()).contains("nothing succeeded").contains("refused");
        }
    }

    @Test
    void openLoopKeepsItsRate() throws InterruptedException {
        DisposableServer origin = new SyntheticOrigin(Duration.ZERO).listen("127.0.0.1", 0);
        try {
            PhaseResult result = run(origin.port(), OBJECTS, phase("get", "6", Optional.of(10.0)));

            assertThat(result.right()).isEqualTo(6);
            assertThat(result.unsent()).isZero();
            // The sixth is due half a second after the first.
            assertThat(result.seconds()).isGreaterThan(0.4);
        } finally {
            origin.disposeNow();
        }
    }

    @Test
    void openLoopMeasuresFromWhenAnOperationWasDue() throws InterruptedException {
        DisposableServer slow = new SyntheticOrigin(Duration.ofMillis(100)).listen("127.0.0.1", 0);
        try {
            // Two connections with 100 ms each take a second for what is due within a tenth of it.
            PhaseResult result = run(slow.port(), OBJECTS, phase("get", "20", Optional.of(200.0)));

            assertThat(result.right()).isEqualTo(20);
            assertThat(result.operations().get(0).whole().maxMs()).isGreaterThan(500);
        } finally {
            slow.disposeNow();
        }
    }

    @Test
    void openLoopReportsMissedOperations() throws InterruptedException {
        DisposableServer slow = new SyntheticOrigin(Duration.ofMillis(100)).listen("127.0.0.1", 0);
        try {
            PhaseResult kept = run(slow.port(), OBJECTS, timed(10));
            PhaseResult missed = run(slow.port(), OBJECTS, timed(200));

            // Sent or missed, all that were due are counted; each connection may take the number of one that is due
            // later.
            assertThat(kept.right() + kept.unsent()).isBetween(8L, 10L);
            // Two connections with 100 ms each can do 20 a second.
            assertThat(missed.right()).isLessThanOrEqualTo(22);
            assertThat(missed.right() + missed.unsent()).isBetween(198L, 200L);
        } finally {
            slow.disposeNow();
        }
    }

    @Test
    void delaysOfTheWarmUpAreNotMeasured() {
        long interval = Duration.ofMillis(10).toNanos();
        long start = System.nanoTime();
        Pacer pacer = new Pacer(start, Duration.ofMinutes(1).toNanos(), Long.MAX_VALUE, 100, true);
        pacer.next();
        pacer.next();

        // 100 operations should have been sent by now, but two were.
        long warm = start + 100 * interval;
        assertThat(pacer.unsent(warm)).isEqualTo(98);
        pacer.endWarmUp(warm);

        assertThat(pacer.unsent(warm)).isZero();
        assertThat(pacer.dueAt(2)).isEqualTo(warm);
        assertThat(pacer.dueAt(5)).isEqualTo(warm + 3 * interval);
    }

    @Test
    void countIsNotSpentInTheWarmUp() {
        long start = System.nanoTime();
        Pacer pacer = new Pacer(start, Duration.ofMinutes(1).toNanos(), 2, 0, true);
        pacer.next();
        pacer.next();

        pacer.endWarmUp(start);

        assertThat(List.of(pacer.next(), pacer.next(), pacer.next())).containsExactly(2L, 3L, Pacer.END);
    }

    /** The origin is slow: each connection ends an operation of the warm-up after the warm-up. */
    @Test
    void phaseMeasuresExactlyItsCountAfterTheWarmUp() throws InterruptedException {
        DisposableServer slow = new SyntheticOrigin(Duration.ofMillis(200)).listen("127.0.0.1", 0);
        try {
            PhaseResult closed = run(slow.port(), OBJECTS, phase("get", "2", Optional.empty(), Duration.ofMillis(300)));
            PhaseResult open = run(slow.port(), OBJECTS, phase("get", "2", Optional.of(20.0), Duration.ofMillis(300)));

            assertThat(closed.right()).isEqualTo(2);
            assertThat(open.right()).isEqualTo(2);
        } finally {
            slow.disposeNow();
        }
    }

    /** The first request alone is refused. */
    @Test
    void failuresOfTheWarmUpAreNotMeasured() throws InterruptedException {
        AtomicBoolean hasRefused = new AtomicBoolean();
        DisposableServer refusing = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle((request, response) -> response.status(
                                hasRefused.getAndSet(true) ? HttpResponseStatus.OK : HttpResponseStatus.FORBIDDEN)
                        .header("Content-Length", "0")
                        .send())
                .bindNow();
        try {
            PhaseResult result =
                    run(refusing.port(), OBJECTS, phase("head", "2", Optional.empty(), Duration.ofMillis(300)));

            assertThat(hasRefused).isTrue();
            assertThat(result.failures()).isEmpty();
        } finally {
            refusing.disposeNow();
        }
    }

    @Test
    void partsOfTheLoadAreDisjointAndComplete() {
        ProcessShare first = ProcessShare.parse("1/3");
        ProcessShare last = ProcessShare.parse("3/3");

        assertThat(first.part(10) + ProcessShare.parse("2/3").part(10) + last.part(10))
                .isEqualTo(10);
        assertThat(first.number(3)).isEqualTo(9);
        assertThat(last.number(0)).isEqualTo(2);
    }

    private static DisposableServer serving(byte[] body, String etag) {
        return HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle((request, response) -> response.header("Content-Length", Integer.toString(body.length))
                        .header("ETag", etag)
                        .sendByteArray(Mono.just(body)))
                .bindNow();
    }

    private static PhaseResult run(int port, ObjectCatalog objects, PhaseSettings phase) throws InterruptedException {
        return run(port, objects, phase, Duration.ofMinutes(1));
    }

    private static PhaseResult run(int port, ObjectCatalog objects, PhaseSettings phase, Duration failureTimeout)
            throws InterruptedException {
        BucketAddress endpoint = BucketAddress.of(URI.create("http://127.0.0.1:" + port), "bucket", false);
        try (S3ConnectionFactory connections = new S3ConnectionFactory(
                List.of(endpoint), OutgoingRequestSigner.ANONYMOUS, null, Duration.ofMinutes(1), 1)) {
            return new PhaseRunner(
                            connections,
                            new WorkingSet("p/", objects, objects, true),
                            ProcessShare.WHOLE,
                            failureTimeout,
                            OperationObserver.NONE,
                            ProgressListener.NONE)
                    .run(phase);
        }
    }

    private static PhaseSettings timed(double rate) {
        return phase("get", "", Optional.of(rate));
    }

    /** A phase of two connections, with a number of operations or else a second. */
    private static PhaseSettings phase(String operations, String count, Optional<Double> rate) {
        return phase(operations, count, rate, Duration.ZERO);
    }

    private static PhaseSettings phase(String operations, String count, Optional<Double> rate, Duration warmUp) {
        return new PhaseSettings(
                "test",
                OperationMix.parse(operations),
                KeyOrder.SEQUENTIAL,
                2,
                count.isEmpty() ? Optional.of(Duration.ofSeconds(1)) : Optional.empty(),
                count.isEmpty() ? Optional.empty() : Optional.of(OperationCount.parse(count)),
                warmUp,
                rate,
                DataSize.ofKibibytes(1),
                DataSize.ofMebibytes(5),
                true,
                false);
    }
}
