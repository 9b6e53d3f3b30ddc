package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.fault.BackendFault;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.s3.observe.OutcomeCategory;
import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/**
 * Verifies responses that break off. A disconnect must free all resources, or sockets and buffers run out. A failing
 * backend must break the response visibly, or clients mistake half an object for a whole one.
 */
@ExtendWith(BufferLeakExtension.class)
class DisconnectTest {
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final int SIZE = 16 * 1024 * 1024;
    private static final byte[] CONTENT = GeneratedBytes.of("large").first(SIZE);
    private static final String LARGE = "/bucket/large";

    private final InMemoryBackend objects = new InMemoryBackend();
    private final FaultyBackend backend = new FaultyBackend(objects, FaultPlan.none());
    private final TestGateway gateway = builder().bucket("*", backend).start();
    private final SigningClient caller = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);

    /** Returns a gateway for {@link #gateway}, to be completed. */
    TestGateway.Builder builder() {
        return TestGateway.builder();
    }

    /** Returns the number of concurrent readers. */
    int readers() {
        return 64;
    }

    @BeforeEach
    void store() {
        objects.store(new ObjectRef(BUCKET, new ObjectKey("large")), CONTENT, HeaderList.EMPTY);
    }

    @AfterEach
    void everythingIsGivenBack() throws Exception {
        await(() -> gateway.inFlight() == 0);
        await(() -> backend.openBodies() == 0);
        backend.plan(FaultPlan.none());
        RawClient.Response next = caller.head(LARGE);
        gateway.close();

        assertThat(next.status()).isEqualTo(200);
        assertThat(next.headers()).containsEntry("content-length", Integer.toString(SIZE));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void leavingBeforeTheHeadGivesTheCallUp(boolean withReset) throws Exception {
        AtomicBoolean givenUp = new AtomicBoolean();
        backend.plan(FaultPlan.always(new BackendFault.StalledHead(Mono.never().doOnCancel(() -> givenUp.set(true)))));
        try (RawClient client = open()) {
            await(() -> backend.calls(FaultPlan.Operation.OPEN) == 1);
            leave(client, withReset);
        }

        await(givenUp::get);
        RequestRecord ended = onlyRecord();
        assertThat(ended.outcome()).isEqualTo(OutcomeCategory.CLIENT_LEFT);
        assertThat(ended.status()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void leavingInTheBodyGivesItUp(boolean withReset) throws Exception {
        try (RawClient client = open()) {
            assertThat(client.in().readNBytes(100_000)).hasSize(100_000);
            leave(client, withReset);
        }

        RequestRecord ended = onlyRecord();
        assertThat(ended.outcome()).isEqualTo(OutcomeCategory.CLIENT_LEFT);
        assertThat(ended.status()).isEqualTo(200);
        assertThat(ended.bytesOut()).isLessThan(SIZE);
        assertThat(backend.bytes()).isLessThan(SIZE);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void leavingWhileTheBackendStallsGivesItUp(boolean withReset) throws Exception {
        AtomicBoolean givenUp = new AtomicBoolean();
        backend.plan(FaultPlan.always(
                new BackendFault.StalledBody(65_536, Mono.never().doOnCancel(() -> givenUp.set(true)))));
        try (RawClient client = open()) {
            assertThat(client.in().readNBytes(65_536)).hasSize(65_536);
            leave(client, withReset);
        }

        await(givenUp::get);
        assertThat(onlyRecord().outcome()).isEqualTo(OutcomeCategory.CLIENT_LEFT);
    }

    /** A client that reads nothing and stays connected costs a window, not the object. */
    @Test
    void aReaderWhoStandsStillHoldsLittle() throws Exception {
        try (RawClient client = open()) {
            await(() -> backend.bytes() > 0);
            long before = Polling.untilStill(Duration.ofMillis(200), backend::bytes);
            // The window, a piece, the send buffer (doubled by Linux), and what this side's kernel takes unread.
            assertThat(before).isLessThan(4 * 1024 * 1024);
            assertThat(client.in().readNBytes(100)).hasSize(100);
        }
    }

    static Stream<BackendFault> faults() {
        return Stream.of(
                new BackendFault.CutConnection(0),
                new BackendFault.CutConnection(1),
                new BackendFault.CutConnection(100_000),
                new BackendFault.CutConnection(SIZE - 1),
                new BackendFault.ReplacedObject(100_000),
                new BackendFault.ShortBody(0),
                new BackendFault.ShortBody(100_000),
                new BackendFault.ShortBody(SIZE - 1),
                new BackendFault.WrongSize(1),
                new BackendFault.WrongSize(SIZE));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void failedOrShortBodyIsNeverComplete(BackendFault fault) throws Exception {
        backend.plan(FaultPlan.script(fault));
        Partial partial = read(caller.request("GET", LARGE, Map.of()));

        assertThat(partial.announced()).isGreaterThan(partial.body().length());
        assertThat(partial.bytes())
                .isEqualTo(Arrays.copyOf(CONTENT, partial.body().length()));
        RequestRecord ended = onlyRecord();
        assertThat(ended.outcome()).isEqualTo(OutcomeCategory.BROKEN);
        assertThat(ended.status()).isEqualTo(200);
        assertThat(ended.bytesOut()).isLessThanOrEqualTo(partial.announced());
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, -100_000})
    void tooLongBodyIsCutAndClosesTheConnection(long by) throws Exception {
        backend.plan(FaultPlan.script(new BackendFault.WrongSize(by)));
        Partial partial = read(caller.request("GET", LARGE, Map.of()));

        assertThat(partial.announced()).isEqualTo(SIZE + by);
        assertThat(partial.body().length()).isLessThanOrEqualTo((int) partial.announced());
        assertThat(onlyRecord().outcome()).isEqualTo(OutcomeCategory.BROKEN);
    }

    @Test
    void bytesAfterTheLastAreNotSent() throws Exception {
        backend.plan(FaultPlan.script(new BackendFault.LongBody(1)));
        Partial partial = read(caller.request("GET", LARGE, Map.of()));

        assertThat(partial.body().length()).isLessThanOrEqualTo(SIZE);
        assertThat(onlyRecord().outcome()).isEqualTo(OutcomeCategory.BROKEN);
    }

    @Test
    void backendFailureBeforeHeadersKeepsTheConnection() throws Exception {
        backend.plan(FaultPlan.failing(1, BackendException.FailureKind.UNAVAILABLE));
        try (RawClient client = gateway.connect()) {
            String request = caller.request("GET", LARGE, Map.of("range", "bytes=0-99"));

            assertThat(client.send(request).status()).isEqualTo(503);
            assertThat(client.send(request).bytes())
                    .isEqualTo(GeneratedBytes.of("large").first(100));
        }
    }

    @Test
    void readersBesideEachOtherGetTheirOwnBytes() throws Exception {
        int readers = readers();
        int part = SIZE / readers;
        ExecutorService pool = Executors.newFixedThreadPool(readers);
        try {
            List<Future<byte[]>> bodies = new ArrayList<>();
            for (int i = 0; i < readers; i++) {
                String range = "bytes=%d-%d".formatted((long) i * part, (long) (i + 1) * part - 1);
                bodies.add(pool.submit(
                        () -> caller.ask("GET", LARGE, Map.of("range", range)).bytes()));
            }
            for (int i = 0; i < readers; i++) {
                assertThat(bodies.get(i).get(60, TimeUnit.SECONDS))
                        .isEqualTo(GeneratedBytes.of("large").slice((long) i * part, part));
            }
        } finally {
            pool.shutdown();
        }
    }

    /** Returns the bytes received before the connection was closed; the body has one char per byte. */
    private record Partial(long announced, String body) {
        byte[] bytes() {
            return body.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    private Partial read(String request) throws IOException {
        try (RawClient client = gateway.connect()) {
            client.socket().getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            String text = new String(client.in().readAllBytes(), StandardCharsets.ISO_8859_1);
            int end = text.indexOf("\r\n\r\n") + 4;
            String head = text.substring(0, end).toLowerCase(Locale.ROOT);
            int length = head.indexOf("content-length: ") + "content-length: ".length();
            return new Partial(Long.parseLong(head.substring(length, head.indexOf("\r", length))), text.substring(end));
        }
    }

    private RawClient open() throws IOException {
        RawClient client = gateway.connect();
        client.socket()
                .getOutputStream()
                .write(caller.request("GET", LARGE, Map.of()).getBytes(StandardCharsets.ISO_8859_1));
        return client;
    }

    private static void leave(RawClient client, boolean withReset) throws IOException {
        if (withReset) {
            client.socket().setSoLinger(true, 0);
        }
        client.close();
    }

    private RequestRecord onlyRecord() {
        await(() -> gateway.requests().size() == 1);
        return gateway.requests().get(0);
    }

    private static void await(Callable<Boolean> condition) {
        Polling.within(Duration.ofSeconds(60)).until(condition);
    }
}
