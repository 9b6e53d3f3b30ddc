package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultPlan.Operation;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.s3.observe.OutcomeCategory;
import io.millrace.gateway.testkit.CacheExtension;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** What crowds cost that send, or say that they will, more than they should: bounded memory, and nobody else waits. */
@ExtendWith(BufferLeakExtension.class)
class WriteAttackTest {
    private static final long FIVE_GIB = 5L << 30;

    @RegisterExtension
    final CacheExtension cache = new CacheExtension();

    private final FaultyBackend backend = new FaultyBackend(
            new InMemoryBackend(EnumSet.of(Capability.WRITE)).createBucket(new BucketName("bucket")), FaultPlan.none());
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        gateway = TestGateway.builder()
                .cache(cache.get())
                .drain(Duration.ofMillis(100))
                .bucket("bucket", backend)
                .start();
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    @Test
    void forgedWritesOfFiveGibibytesCostLittle() throws Exception {
        forge(200);
    }

    @Test
    @Tag("long")
    void twoThousandForgedWritesOfFiveGibibytesCostLittle() throws Exception {
        forge(2000);
    }

    @Test
    void slowUploadsCostLittleAndDelayNoOthers() throws Exception {
        upload(100, false);
    }

    @Test
    @Tag("long")
    void fiveHundredSlowUploadsCostLittle() throws Exception {
        upload(500, false);
    }

    /** They send as much as they can before they are cut, and half of them never read. */
    private void forge(int clients) throws Exception {
        long before = memory();
        List<RawClient> open = new ArrayList<>();
        try {
            for (int i = 0; i < clients; i++) {
                SignedWriteRequest ask = i % 2 == 0
                        ? SignedWriteRequest.of("PUT", "/bucket/forged").by("TESTKEY", "not-the-secret")
                        : SignedWriteRequest.of("POST", "/bucket")
                                .anonymous()
                                .with("Content-Type: multipart/form-data; boundary=b");
                RawClient client = new RawClient(gateway.port());
                open.add(client);
                String head = ask.with("Content-Length: " + FIVE_GIB).head();
                client.socket()
                        .getOutputStream()
                        .write((head + "--b\r\n" + "x".repeat(20_000)).getBytes(StandardCharsets.ISO_8859_1));
            }
            long most = memory();
            for (int i = 0; i < clients; i += 2) {
                assertThat(open.get(i).send("").status()).isEqualTo(403);
            }
            most = Math.max(most, memory());
            assertThat((most - before) / clients).as("bytes a client").isLessThan(64 << 10);
            assertThat(backend.calls(Operation.PUT)).isZero();
        } finally {
            for (RawClient client : open) {
                client.close();
            }
        }
        assertThat(SignedWriteRequest.get("/bucket/forged").send(gateway.port()).status())
                .isEqualTo(404);
    }

    /** Clients that are switched off in mid-upload are everyday: who looks for trouble must not find them. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void clientDisconnectDuringAnUploadLogsNoError(boolean withReset) throws Exception {
        Logger service = (Logger) LoggerFactory.getLogger("io.millrace.gateway.s3.server");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        service.addAppender(log);
        try {
            upload(100, withReset);
        } finally {
            service.detachAppender(log);
        }

        assertThat(gateway.requests())
                .filteredOn(request -> request.target().startsWith("/bucket/slow-")
                        && request.method().equals("PUT"))
                .hasSize(100)
                .allMatch(request -> request.outcome() == OutcomeCategory.CLIENT_LEFT);
        assertThat(log.list).noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.WARN));
    }

    /** Each announces 64 MiB, sends one and then a byte now and again. */
    private void upload(int clients, boolean withReset) throws Exception {
        byte[] small = GeneratedBytes.of("small").first(10_000);
        assertThat(SignedWriteRequest.put("/bucket/small", small)
                        .send(gateway.port())
                        .status())
                .isEqualTo(200);
        long writes = backend.calls(Operation.PUT);
        long before = memory();
        List<RawClient> open = new ArrayList<>();
        try {
            for (int i = 0; i < clients; i++) {
                RawClient client = new RawClient(gateway.port());
                open.add(client);
                String head = SignedWriteRequest.of("PUT", "/bucket/slow-" + i)
                        .with("Content-Length: " + (64 << 20))
                        .head();
                client.socket().getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
                client.socket().getOutputStream().write(new byte[200_000]);
            }
            Polling.until("all have begun", () -> backend.calls(Operation.PUT) == writes + clients);
            for (int round = 0; round < 5; round++) {
                for (RawClient client : open) {
                    client.socket().getOutputStream().write(0);
                }
                assertThat(SignedWriteRequest.get("/bucket/small")
                                .send(gateway.port())
                                .bytes())
                        .isEqualTo(small);
            }
            assertThat((memory() - before) / clients).as("bytes an upload").isLessThan(1 << 20);
        } finally {
            for (RawClient client : open) {
                client.socket().setSoLinger(withReset, 0);
                client.close();
            }
        }
        Polling.until("all have ended", () -> gateway.inFlight() == 0);
        assertThat(SignedWriteRequest.get("/bucket/slow-0").send(gateway.port()).status())
                .isEqualTo(404);
    }

    /** What is held: in the heap, in buffers of Netty's, and in those of the JDK's. */
    @SuppressWarnings("SystemGC") // Only what is left behind a collection is held.
    private static long memory() {
        System.gc();
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        return heap
                + direct
                + ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                        .metric()
                        .usedDirectMemory();
    }
}
