package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ReadConditions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;

/** Tests with a pool of one connection that every outcome of a request returns it. */
class ConnectionPoolTest extends ScriptedServerTest {
    private static final int ROUNDS = 300;
    private static final byte[] BYTES = new byte[200_000];

    private Backend single() throws IOException {
        return single(PATIENCE);
    }

    private Backend single(Duration idle) throws IOException {
        return backend((request, wire) -> wire.object(BYTES, "e"), 1, PATIENCE, idle);
    }

    @Test
    void reusesTheConnectionForTheNextRead() throws IOException {
        Backend backend = single();

        for (int i = 0; i < 50; i++) {
            assertThat(read(backend, key("k" + i))).hasSize(BYTES.length);
        }

        assertThat(origin().connections()).isEqualTo(1);
    }

    @Test
    void discardedContentGivesItBack() throws IOException {
        Backend backend = single();

        for (int i = 0; i < ROUNDS; i++) {
            open(backend, KEY).discard();
        }

        assertThat(read(backend, KEY)).hasSize(BYTES.length);
    }

    @Test
    void errorResponseReturnsTheConnection() throws IOException {
        Backend backend = single();
        ReadRequest conditional = KEY.withConditions(new ReadConditions(
                Optional.empty(),
                Optional.of(List.of(ETag.strong("a"), ETag.strong("e"))),
                Optional.empty(),
                Optional.empty()));

        for (int i = 0; i < ROUNDS; i++) {
            assertKind(openFailure(backend, conditional), FailureKind.NOT_MODIFIED);
        }

        assertThat(read(backend, KEY)).hasSize(BYTES.length);
    }

    /** At every moment: before the connection, before the head, between the head and its hand-over, and after. */
    @Test
    void openingThatIsGivenUpGivesItBack() throws IOException {
        Backend backend = single(Duration.ofMillis(500));

        for (int i = 0; i < 5 * ROUNDS; i++) {
            Disposable opening = backend.open(KEY).subscribe(ObjectContent::discard, ignored -> {});
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000));
            opening.dispose();
        }

        awaitRead(backend, KEY, BYTES.length);
    }

    @Test
    void headThatIsGivenUpGivesItBack() throws IOException {
        Backend backend = backend(
                (request, wire) -> wire.head("200 OK", "ETag: \"e\"", "Content-Length: 5"), 1, PATIENCE, PATIENCE);

        for (int i = 0; i < 5 * ROUNDS; i++) {
            Disposable opening = backend.head(KEY).subscribe(head -> {}, ignored -> {});
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(500_000));
            opening.dispose();
        }

        assertThat(await(backend.head(KEY)).head().size()).isEqualTo(5);
    }

    @Test
    void readerThatLeavesGivesItBack() throws IOException, InterruptedException {
        Backend backend = single();

        for (int i = 0; i < ROUNDS; i++) {
            ManualDemandSubscriber reader = new ManualDemandSubscriber();
            open(backend, KEY).body().subscribe(reader);
            reader.request(i % 4);
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(500_000));
            reader.cancel();
        }

        assertThat(read(backend, KEY)).hasSize(BYTES.length);
    }

    @Test
    void reportsExhaustedConnectionPool() throws IOException {
        Backend backend = single();
        ObjectContent held = open(backend, KEY);

        BackendException failure = openFailure(backend, KEY);

        assertKind(failure, FailureKind.BUSY);
        assertThat(failure).hasMessageContaining("max-connections");
        held.discard();
        assertThat(read(backend, KEY)).hasSize(BYTES.length);
    }

    @Test
    void bodyIsReadOnce() throws IOException {
        Backend backend = single();
        ObjectContent content = open(backend, KEY);

        ContentReader.read(content);

        assertKind(bodyFailure(content), FailureKind.INVALID_RESPONSE);
    }
}
