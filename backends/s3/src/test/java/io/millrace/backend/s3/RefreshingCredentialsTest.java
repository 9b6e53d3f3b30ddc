package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.testkit.Polling;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

/** Tests that requests neither wait for the renewal of valid credentials nor fail with it. */
class RefreshingCredentialsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final AtomicInteger questions = new AtomicInteger();
    private final BlockingQueue<Integer> answered = new ArrayBlockingQueue<>(100);
    private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private volatile Instant expiration = Instant.parse("2026-01-01T01:00:00Z");
    private volatile @Nullable RuntimeException trouble;
    private volatile CountDownLatch gate = new CountDownLatch(0);

    private final RefreshingCredentials held = new RefreshingCredentials(
            "cloud", () -> new CredentialsChainSource("the link", this::answer, false), () -> now);

    @Test
    void concurrentFirstRequestsShareOneLookup() {
        gate = new CountDownLatch(1);
        Mono<List<AwsCredentialsIdentity>> all = Flux.fromStream(
                        IntStream.range(0, 50).mapToObj(i -> held.identity()))
                .flatMap(identity -> identity, 50)
                .collectList()
                .doOnSubscribe(s -> Schedulers.parallel().schedule(gate::countDown));

        assertThat(all.block(PATIENCE)).hasSize(50);
        assertThat(questions).hasValue(1);
    }

    @Test
    void renewalIsNotWaitedFor() throws InterruptedException {
        assertThat(key()).isEqualTo("KEY-1");
        answered.take();
        now = now.plus(RefreshingCredentials.RENEWAL);
        gate = new CountDownLatch(1);

        assertThat(key()).as("while the renewal stands still").isEqualTo("KEY-1");
        gate.countDown();

        assertThat(answered.poll(20, TimeUnit.SECONDS)).isEqualTo(2);
        awaitKey("KEY-2");
    }

    @Test
    void failedRenewalKeepsWhatIsHeldUntilItExpires() throws InterruptedException {
        assertThat(key()).isEqualTo("KEY-1");
        answered.take();
        trouble = new IllegalStateException("STS is away");
        for (Instant end = expiration; now.isBefore(end); now = now.plus(RefreshingCredentials.RENEWAL)) {
            assertThat(key()).isEqualTo("KEY-1");
        }

        assertThatThrownBy(this::key)
                .isInstanceOf(BackendException.class)
                .hasMessage("no credentials from the link: STS is away");
        trouble = null;
        expiration = now.plus(Duration.ofHours(1));
        assertThat(key()).startsWith("KEY-");
    }

    @Test
    void failedRenewalIsNotRepeatedByEveryRequest() throws InterruptedException {
        key();
        answered.take();
        trouble = new IllegalStateException("STS is away");
        now = now.plus(RefreshingCredentials.RENEWAL);
        key();
        assertThat(answered.poll(20, TimeUnit.SECONDS)).isEqualTo(2);

        IntStream.range(0, 100).forEach(i -> key());
        assertThat(questions).hasValue(2);
        Polling.until("the renewal is tried again", () -> {
            now = now.plus(RefreshingCredentials.RETRY_DELAY);
            key();
            return Integer.valueOf(3).equals(answered.poll(100, TimeUnit.MILLISECONDS));
        });
    }

    @Test
    void shortLivedOnesAreRenewedBeforeTheyExpire() throws InterruptedException {
        expiration = now.plusSeconds(20);
        key();
        answered.take();
        now = now.plusSeconds(11);

        assertThat(key()).isEqualTo("KEY-1");
        assertThat(answered.poll(20, TimeUnit.SECONDS)).isEqualTo(2);
    }

    @Test
    void unreachableCredentialServiceIsUnavailable() {
        trouble = new UncheckedIOException(new ConnectException("refused"));
        assertThatThrownBy(this::key)
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(FailureKind.CREDENTIALS_UNAVAILABLE));

        trouble = new IllegalStateException("no such role");
        assertThatThrownBy(this::key)
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(FailureKind.CREDENTIALS_REJECTED));
    }

    private @Nullable String key() {
        AwsCredentialsIdentity identity = held.identity().block(PATIENCE);
        return identity == null ? null : identity.accessKeyId();
    }

    /** The answer is held a moment after the question has ended. */
    private void awaitKey(String key) {
        Polling.until(key, () -> key.equals(key()));
    }

    private AwsCredentials answer() {
        int number = questions.incrementAndGet();
        try {
            gate.await();
            RuntimeException failure = trouble;
            if (failure != null) {
                throw failure;
            }
            return AwsSessionCredentials.builder()
                    .accessKeyId("KEY-" + number)
                    .secretAccessKey("secret")
                    .sessionToken("token")
                    .expirationTime(expiration)
                    .build();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            answered.add(number);
        }
    }
}
