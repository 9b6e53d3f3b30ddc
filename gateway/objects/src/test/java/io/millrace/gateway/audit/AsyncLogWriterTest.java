package io.millrace.gateway.audit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.backend.testkit.Polling;
import io.millrace.kit.file.LineTarget;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Tests that an operator reads what became of a log's lines: once, not per line. */
@Timeout(120)
class AsyncLogWriterTest {
    private static final int TOO_MANY = 2 * AsyncLogWriter.CAPACITY;

    private final ListAppender<ILoggingEvent> messages = new ListAppender<>();
    private final Logger log = (Logger) LoggerFactory.getLogger(AsyncLogWriter.class);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Counter lines = registry.counter("lines");
    private final Counter lost = registry.counter("lost");

    @BeforeEach
    void listen() {
        messages.start();
        log.addAppender(messages);
    }

    @AfterEach
    void stopListening() {
        log.detachAppender(messages);
    }

    @Test
    void lossesAreWarnedOfOnceAMinuteAndAtTheEnd() throws Exception {
        Semaphore permits = new Semaphore(0);
        try (AsyncLogWriter<String> writer = start(new LineTarget() {
            @Override
            public void append(byte[] text) {
                permits.acquireUninterruptibly();
            }

            @Override
            public void close() {}
        })) {
            for (int flood = 1; flood <= 2; flood++) {
                permits.drainPermits();
                for (int i = 0; i < TOO_MANY; i++) {
                    writer.write("x");
                }
                permits.release(TOO_MANY);
                int sent = flood * TOO_MANY;
                Polling.until("each is counted once", () -> lines.count() + lost.count() == sent);
            }
            Polling.until("the first loss is told", () -> texts().size() == 1);
        }

        assertThat(lost.count()).isGreaterThan(AsyncLogWriter.CAPACITY);
        assertThat(texts())
                .hasSize(2)
                .allMatch(text -> text.matches("The log x lacks \\d+ more lines: they could not be written, .*"));
    }

    @Test
    void failureIsToldOnceAndItsEndToo() throws Exception {
        AtomicInteger failures = new AtomicInteger(2);
        try (AsyncLogWriter<String> writer = start(new LineTarget() {
            @Override
            public void append(byte[] text) throws IOException {
                if (failures.getAndDecrement() > 0) {
                    throw new IOException("No space left on device");
                }
            }

            @Override
            public void close() {}
        })) {
            writer.write("x");
            Polling.until("it is written", () -> lines.count() == 1);
        }

        assertThat(texts())
                .containsExactly(
                        "The log x cannot be written (java.io.IOException: No space left on device). Until it can,"
                                + " lines wait. Make room, or repair its file system",
                        "The log x is written again");
        assertThat(lost.count()).isZero();
    }

    private AsyncLogWriter<String> start(LineTarget target) {
        return AsyncLogWriter.start(
                new AsyncLogWriter.Subject("x", "The log x", "lines wait"),
                target,
                batch -> String.join("\n", batch).getBytes(UTF_8),
                lines,
                lost);
    }

    private List<String> texts() {
        return messages.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}
