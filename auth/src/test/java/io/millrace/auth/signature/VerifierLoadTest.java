package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.Authentication;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.SignedRequest;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the verifier under many requests: state shared between threads, and timing that could reveal existing keys. */
class VerifierLoadTest {
    private static final URI OBJECT = URI.create("http://" + SentRequest.HOST + "/bucket/key");

    private final RequestVerifier verifier = TestKeys.verifier();

    @Test
    void concurrentThreadsVerifyWithOneSigningKey() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            List<Future<Integer>> runs = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                SentRequest sent = signed(TestKeys.TRAINER, "/bucket/key" + i);
                runs.add(pool.submit(() -> accepted(sent, 20_000)));
            }
            for (Future<Integer> run : runs) {
                assertThat(run.get()).isEqualTo(20_000);
            }
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void unknownAccessKeyCostsAsMuchAsWrongSignature() {
        Watched unknown = new Watched(signed("NOBODY01", "/bucket/key"));
        Watched wrong = new Watched(signed(TestKeys.ADMIN, "/bucket/key"));
        refuse(unknown);
        refuse(wrong);

        // A refusal ahead of the signature asks for neither path nor query, nor for the headers' values.
        assertThat(unknown.asked).isEqualTo(wrong.asked).contains("method", "path", "query", "headerValues host");
    }

    /** Covers the timing of the signature itself. It measures time, so it does not run in every build. */
    @Test
    @Tag("long")
    void unknownKeyTakesAsLongAsWrongSignature() {
        SentRequest unknown = signed("NOBODY01", "/bucket/key");
        SentRequest wrong = signed(TestKeys.ADMIN, "/bucket/key");
        long[] unknownNanos = new long[30_000];
        long[] wrongNanos = new long[unknownNanos.length];
        for (int round = 0; round < 2; round++) {
            // Taken in turns, so that whatever else runs on the machine slows both; the first round warms up.
            for (int i = 0; i < unknownNanos.length; i++) {
                unknownNanos[i] = refusalNanos(unknown);
                wrongNanos[i] = refusalNanos(wrong);
            }
        }

        // Without the stand-in for unknown keys this is below 0.5.
        assertThat(median(unknownNanos) / median(wrongNanos)).isBetween(0.7, 1.43);
    }

    private int accepted(SentRequest sent, int times) throws RequestVerificationException {
        int accepted = 0;
        for (int i = 0; i < times; i++) {
            if (verifier.verify(sent) instanceof Authentication.Signed) {
                accepted++;
            }
        }
        return accepted;
    }

    private long refusalNanos(SentRequest sent) {
        long start = System.nanoTime();
        try {
            verifier.verify(sent);
            throw new AssertionError("accepted");
        } catch (RequestVerificationException e) {
            return System.nanoTime() - start;
        }
    }

    private void refuse(SignedRequest sent) {
        assertThatThrownBy(() -> verifier.verify(sent)).isInstanceOf(RequestVerificationException.class);
    }

    /** Request that records which of its parts were read. */
    private record Watched(SentRequest sent, List<String> asked) implements SignedRequest {
        Watched(SentRequest sent) {
            this(sent, new ArrayList<>());
        }

        @Override
        public String method() {
            asked.add("method");
            return sent.method();
        }

        @Override
        public String path() {
            asked.add("path");
            return sent.path();
        }

        @Override
        public Optional<String> virtualHostBucket() {
            asked.add("virtualHostBucket");
            return sent.virtualHostBucket();
        }

        @Override
        public List<Parameter> query() {
            asked.add("query");
            return sent.query();
        }

        @Override
        public List<String> headerValues(String lowerCaseName) {
            asked.add("headerValues " + lowerCaseName);
            return sent.headerValues(lowerCaseName);
        }

        @Override
        public List<String> headerNames() {
            asked.add("headerNames");
            return sent.headerNames();
        }
    }

    private static double median(long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** Signed with the trainer's secret, for any access key. */
    private static SentRequest signed(String accessKey, String path) {
        Map<String, String> added = new RequestSigner(accessKey, TestKeys.TRAINER_SECRET, "us-east-1")
                .sign(OBJECT.resolve(path), "GET", Map.of(), PayloadType.UNSIGNED, TestKeys.NOW);
        SentRequest sent = SentRequest.to("GET", path);
        for (Map.Entry<String, String> header : added.entrySet()) {
            sent = sent.withHeader(header.getKey(), header.getValue());
        }
        return sent;
    }
}
