package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.server.ScriptedServer;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tests writes with failing servers and bodies: none succeeds that is not done, and none is done twice. */
class WriteFaultsTest extends ScriptedServerWriteTest {
    private static final Duration SHORT = Duration.ofMillis(300);

    /** Longer than a server takes for a step on a busy machine. */
    private static final Duration STEP = Duration.ofSeconds(4);

    /** More than the socket buffers of both sides hold. */
    private static final byte[] LARGE = GeneratedBytes.of("large").first(24 << 20);

    private static final byte[] SMALL = GeneratedBytes.of("small").first(100_000);

    /** The answer is lost with the connection where a refused write closes it: most servers close with bytes unread. */
    @ParameterizedTest
    @CsvSource({
        "403 Forbidden, AccessDenied, ACCESS_DENIED",
        "412 Precondition Failed, PreconditionFailed, PRECONDITION_FAILED",
        "404 Not Found, NoSuchBucket, NO_SUCH_BUCKET",
        "400 Bad Request, EntityTooLarge, INVALID_REQUEST",
        "503 Slow Down, SlowDown, THROTTLED"
    })
    void earlyResponseIsTheResultAndCancelsTheBody(String status, String code, FailureKind kind)
            throws IOException, InterruptedException {
        CountDownLatch cancelled = new CountDownLatch(1);
        AtomicInteger made = new AtomicInteger();
        Backend backend = backend((request, wire) -> {
            wire.take(300_000);
            error(wire, status, code);
            wire.close();
        });

        for (int i = 0; i < 20; i++) {
            made.set(0);
            Flux<ByteBuf> pieces = pieces(LARGE, made).doOnCancel(cancelled::countDown);
            assertKind(failure(put(backend, UploadBody.of(LARGE.length, pieces))), kind);
            assertThat(made).hasValueLessThan(LARGE.length);
        }

        assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
        // Beside them there may be probes, if twenty of these take seconds.
        assertThat(origin().requests().stream()
                        .filter(request -> request.method().equals("PUT")))
                .hasSize(20);
        assertThat(origin().connections()).isEqualTo(origin().requests().size());
    }

    @Test
    void closesTheConnectionAfterAnEarlyResponse() throws IOException {
        Backend backend = backend(
                (request, wire) -> {
                    if (request.number() == 0) {
                        error(wire, "412 Precondition Failed", "PreconditionFailed");
                        return;
                    }
                    wire.take(request);
                    acknowledge(wire);
                },
                1,
                PATIENCE,
                PATIENCE);

        assertKind(failure(put(backend, body(LARGE))), FailureKind.PRECONDITION_FAILED);
        await(put(backend, body(SMALL)));
        await(put(backend, body(SMALL)));

        assertThat(origin().connections()).isEqualTo(2);
    }

    @Test
    void successBeforeTheEndOfTheBodyIsNone() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.take(100_000);
            acknowledge(wire);
            wire.take(request);
        });

        assertKind(failure(put(backend, body(LARGE))), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void connectionClosedMidBodyFailsTheWrite() throws IOException, InterruptedException {
        CountDownLatch cancelled = new CountDownLatch(1);
        Backend backend = backend((request, wire) -> {
            wire.take(300_000);
            wire.close();
        });
        Flux<ByteBuf> pieces = pieces(LARGE, new AtomicInteger()).doOnCancel(cancelled::countDown);

        assertKind(failure(put(backend, UploadBody.of(LARGE.length, pieces))), FailureKind.UNAVAILABLE);

        assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(origin().requests()).hasSize(1);
    }

    @Test
    void lostResponseAfterTheBodyReportsUnknownOutcome() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.take(request);
            wire.close();
        });

        BackendException failure = failure(put(backend, body(SMALL)));

        assertKind(failure, FailureKind.UNAVAILABLE);
        assertThat(failure).hasMessageContaining("unknown");
        assertThat(origin().requests()).hasSize(1);
    }

    @Test
    void missingResponseTimesOutAfterTheBody() throws IOException {
        CountDownLatch never = new CountDownLatch(1);
        Backend backend = backend(
                (request, wire) -> {
                    wire.take(request);
                    never.await();
                },
                64,
                SHORT,
                PATIENCE);

        BackendException failure = failure(put(backend, body(SMALL)));

        assertKind(failure, FailureKind.UNAVAILABLE);
        assertThat(failure).hasMessageContaining("no response within 300 ms").hasMessageContaining("unknown");
        // The system may have all of the request that long before the server looks.
        Polling.until("the request is there", () -> !origin().requests().isEmpty());
        assertThat(origin().requests()).hasSize(1);
        never.countDown();
    }

    @Test
    void responseTimeoutBeginsAfterTheBody() throws IOException {
        Backend backend = backend(
                (request, wire) -> {
                    wire.take(request);
                    acknowledge(wire);
                },
                64,
                STEP,
                PATIENCE);
        Flux<ByteBuf> slow = pieces(GeneratedBytes.of("slow").first(20 * PIECE), new AtomicInteger())
                .concatMap(piece -> Mono.just(piece).delayElement(Duration.ofMillis(250)), 1);

        await(put(backend, UploadBody.of(20 * PIECE, slow)));
    }

    @Test
    void serverThatTakesNothingIsGivenUp() throws IOException {
        CountDownLatch never = new CountDownLatch(1);
        Backend backend = backend((request, wire) -> never.await(), 64, PATIENCE, SHORT);

        BackendException failure = failure(put(backend, body(LARGE)));

        assertKind(failure, FailureKind.UNAVAILABLE);
        assertThat(failure).hasMessageContaining("accepted nothing");
        never.countDown();
    }

    @Test
    void slowBodyIsNotTakenForASlowServer() throws IOException {
        Backend backend = backend(
                (request, wire) -> {
                    wire.take(request);
                    acknowledge(wire);
                },
                64,
                PATIENCE,
                STEP);
        Flux<ByteBuf> late = pieces(SMALL, new AtomicInteger()).delaySubscription(STEP.plusSeconds(1));

        await(put(backend, UploadBody.of(SMALL.length, late)));
    }

    /** Behind every byte, the last included: what a server has whole, it stores. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, PIECE, 5 * PIECE, 100_000})
    void failingBodyFailsTheWriteAndNeverArrivesWhole(int upTo) throws IOException, InterruptedException {
        BlockingQueue<Integer> taken = new LinkedBlockingQueue<>();
        Backend backend = backend((request, wire) -> taken.add(lengthUntilReset(wire)));
        IllegalStateException reason = new IllegalStateException("a wrong checksum");
        byte[] first = Arrays.copyOf(SMALL, upTo);
        Flux<ByteBuf> pieces = pieces(first, new AtomicInteger()).concatWith(Flux.error(reason));

        Throwable failure = catchThrowable(
                () -> put(backend, UploadBody.of(SMALL.length, pieces)).block(PATIENCE));

        assertThat(failure).isSameAs(reason);
        assertThat(taken.poll(60, TimeUnit.SECONDS)).isNotNull().isLessThan(SMALL.length);
    }

    @Test
    void emptyBodyThatFailsIsNeverSent() throws IOException {
        Backend backend = backend((request, wire) -> acknowledge(wire));
        IllegalStateException reason = new IllegalStateException("a wrong checksum");

        Throwable failure = catchThrowable(
                () -> put(backend, UploadBody.of(0, Flux.error(reason))).block(PATIENCE));

        assertThat(failure).isSameAs(reason);
        assertThat(origin().requests()).isEmpty();
    }

    @Test
    void bodyOfAnotherLengthNeverGetsThereWhole() throws IOException, InterruptedException {
        BlockingQueue<Integer> taken = new LinkedBlockingQueue<>();
        Backend backend = backend((request, wire) -> taken.add(lengthUntilReset(wire)));

        for (int length : List.of(SMALL.length + 1, SMALL.length - 1, 1)) {
            Flux<ByteBuf> pieces = pieces(SMALL, new AtomicInteger());
            assertThat(catchThrowable(
                            () -> put(backend, UploadBody.of(length, pieces)).block(PATIENCE)))
                    .isNotNull();
            assertThat(taken.poll(60, TimeUnit.SECONDS)).isNotNull().isLessThan(length);
        }
    }

    @Test
    void cancelledWriteResetsTheConnection() throws IOException, InterruptedException {
        BlockingQueue<Integer> taken = new LinkedBlockingQueue<>();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        Backend backend = backend((request, wire) -> {
            wire.take(PIECE);
            begun.countDown();
            taken.add(lengthUntilReset(wire));
        });
        Flux<ByteBuf> pieces = pieces(SMALL, new AtomicInteger())
                .take(2)
                .concatWith(Flux.never())
                .doOnCancel(cancelled::countDown);

        Disposable write = put(backend, UploadBody.of(SMALL.length, pieces)).subscribe();
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        write.dispose();

        assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(taken.poll(60, TimeUnit.SECONDS)).isNotNull().isLessThan(SMALL.length);
    }

    @Test
    void refusedConnectionLeavesTheBodyUnread() throws IOException {
        Backend backend = backendOfRefusingServer();
        AtomicBoolean read = new AtomicBoolean();

        BackendException failure = failure(put(
                backend,
                UploadBody.of(
                        SMALL.length, pieces(SMALL, new AtomicInteger()).doOnSubscribe(pieces -> read.set(true)))));

        assertKind(failure, FailureKind.UNAVAILABLE);
        assertThat(failure).hasMessageContaining("refused").hasMessageNotContaining("unknown");
        assertThat(read).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"copy", "completion", "beginning"})
    void doesNotRetryNonIdempotentRequestsOnceSent(String operation) throws IOException {
        Backend backend = backend((request, wire) -> wire.close());

        BackendException failure = failure(notIdempotent(backend, operation));

        assertKind(failure, FailureKind.UNAVAILABLE);
        assertThat(failure).hasMessageContaining("unknown");
        assertThat(origin().requests()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"copy", "completion", "beginning"})
    void retriesThrottledNonIdempotentRequests(String operation) throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.take(request);
            error(wire, "503 Slow Down", "SlowDown");
        });

        assertKind(failure(notIdempotent(backend, operation)), FailureKind.THROTTLED);
        assertThat(origin().requests()).hasSize(3);
    }

    /**
     * Servers sign what they make of such bytes, which is not the same everywhere; the backend's key is none the worse.
     */
    @Test
    void unsignableHeaderIsTheClientsFault() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.take(request);
            error(wire, "403 Forbidden", "SignatureDoesNotMatch");
        });
        HeaderList latin = HeaderList.EMPTY.with("x-amz-meta-a", "gr\u00FCn");
        HeaderList utf8 = HeaderList.EMPTY.with("x-amz-meta-a", "gr\u00C3\u00BCn");

        BackendException failure =
                failure(backend.put(new NewObject(ref("key"), latin, WriteCondition.ALWAYS), body(SMALL)));
        assertKind(failure, FailureKind.INVALID_REQUEST);
        assertThat(failure.s3Error()).hasValueSatisfying(words -> {
            assertThat(words.status()).isEqualTo(400);
            assertThat(words.code()).isEqualTo("InvalidArgument");
        });
        assertKind(
                failure(backend.put(new NewObject(ref("key"), utf8, WriteCondition.ALWAYS), body(SMALL))),
                FailureKind.CREDENTIALS_REJECTED);
    }

    @Test
    void wrongChecksumAtMinioHasAmazonsCode() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.take(request);
            error(wire, "400 Bad Request", "XAmzContentChecksumMismatch");
        });

        BackendException failure = failure(notIdempotent(backend, "completion"));

        assertKind(failure, FailureKind.INVALID_REQUEST);
        assertThat(failure.s3Error().orElseThrow().code()).isEqualTo("BadDigest");
    }

    /** Amazon sends the head of a long work early, spaces after it, and what came of it in the end. */
    @ParameterizedTest
    @CsvSource({
        "InternalError, UNAVAILABLE, 500",
        "SlowDown, THROTTLED, 503",
        "NoSuchUpload, NO_SUCH_UPLOAD, 404",
        "PreconditionFailed, PRECONDITION_FAILED, 412",
        "InvalidPart, INVALID_REQUEST, 400"
    })
    void errorAfterAnOkIsAnError(String code, FailureKind kind, int status) throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.take(request);
            wire.head("200 OK", "Transfer-Encoding: chunked", "Content-Type: application/xml");
            for (int i = 0; i < 3; i++) {
                wire.text("1\r\n \r\n");
                wire.endPacket();
            }
            String text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>%s</Code><Message>m</Message></Error>"
                    .formatted(code);
            wire.text("%x\r\n%s\r\n0\r\n\r\n".formatted(text.length(), text));
        });

        for (String operation : List.of("copy", "completion")) {
            BackendException failure = failure(notIdempotent(backend, operation));

            assertKind(failure, kind);
            assertThat(failure.s3Error()).contains(new S3Error(status, code, "m"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "   ", "<CompleteMultipartUploadResult><ETag>", "<html>ok</html>", "{}"})
    void okWithoutWhatCameOfItLeavesThatOpen(String text) throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.take(request);
            wire.head("200 OK", "Content-Length: " + text.length());
            wire.text(text);
        });

        BackendException failure = failure(notIdempotent(backend, "completion"));

        assertKind(failure, FailureKind.UNAVAILABLE);
        assertThat(failure).hasMessageContaining("unknown");
        assertThat(origin().requests()).hasSize(1);
    }

    @Test
    void deletionWithABodyIsNotAcknowledged() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("200 OK", "Content-Type: application/json", "Content-Length: 15");
            wire.text("{\"status\":\"ok\"}");
        });

        BackendException failure = failure(backend.delete(Deletion.of(ref("key")), HeaderList.EMPTY));

        assertKind(failure, FailureKind.INVALID_RESPONSE);
        assertThat(failure).hasMessageContaining("unknown").hasMessageContaining("backend 'raw'");
    }

    /**
     * Clients go on with the tag: one that is missing fails a commit that was taken, or a completion behind good parts.
     */
    @ParameterizedTest
    @CsvSource({
        "put, ''",
        "put of an empty tag, ''",
        "part, ''",
        "copy, <CopyObjectResult><LastModified>2026-11-20T10:00:00Z</LastModified></CopyObjectResult>",
        "copy of a part, <CopyPartResult><LastModified>2026-11-20T10:00:00Z</LastModified></CopyPartResult>",
        "completion, <CompleteMultipartUploadResult><Key>key</Key></CompleteMultipartUploadResult>"
    })
    void successWithoutETagIsAnInvalidResponse(String operation, String document) throws IOException {
        String field = operation.endsWith("empty tag") ? "ETag: \"\"" : "X-Amz-Request-Id: 1";
        Backend backend = backend((request, wire) -> {
            wire.take(request);
            wire.head("200 OK", field, "Content-Length: " + document.length());
            wire.text(document);
        });

        BackendException failure = failure(tagged(backend, operation));

        assertKind(failure, FailureKind.INVALID_RESPONSE);
        assertThat(failure).hasMessageContaining("without an ETag").hasMessageContaining("backend 'raw'");
        assertThat(origin().requests()).hasSize(1);
    }

    private static Mono<?> tagged(Backend backend, String operation) {
        CopySource source = new CopySource(ref("source"), Optional.empty(), ReadConditions.NONE);
        MultipartUpload upload = new MultipartUpload(ref("key"), "id");
        return switch (operation) {
            case "put", "put of an empty tag" -> put(backend, body(SMALL));
            case "part" -> backend.putPart(upload, 1, HeaderList.EMPTY, body(SMALL));
            case "copy of a part" -> backend.copyPart(upload, 1, source, Optional.empty(), HeaderList.EMPTY);
            default -> notIdempotent(backend, operation);
        };
    }

    @Test
    void deletesAndAbortsAreSentAgain() throws IOException {
        Backend backend = backend((request, wire) -> {
            if (request.number() % 2 == 0) {
                wire.close();
            } else {
                wire.head("204 No Content", "x-amz-version-id: v");
            }
        });

        assertThat(await(backend.delete(Deletion.of(ref("key")), HeaderList.EMPTY))
                        .headers()
                        .first("x-amz-version-id"))
                .contains("v");
        backend.abortUpload(new MultipartUpload(ref("key"), "id"), HeaderList.EMPTY)
                .block(PATIENCE);
        assertThat(origin().requests()).hasSize(4);
    }

    @Test
    void deleteUnderAConditionIsNotSentAgain() throws IOException {
        Backend backend = backend((request, wire) -> wire.close());
        Deletion deletion = new Deletion(ref("key"), Optional.empty(), new WriteCondition.IfExists());

        assertThat(failure(backend.delete(deletion, HeaderList.EMPTY))).hasMessageContaining("unknown");
        assertThat(origin().requests()).hasSize(1);
    }

    private static Mono<?> notIdempotent(Backend backend, String operation) {
        return switch (operation) {
            case "copy" ->
                backend.copy(new CopySource(ref("source"), Optional.empty(), ReadConditions.NONE), object("key"));
            case "completion" ->
                backend.completeUpload(
                        new MultipartUpload(ref("key"), "id"), List.of(), HeaderList.EMPTY, WriteCondition.ALWAYS);
            default -> backend.createUpload(object("key"));
        };
    }

    /** Fails the test's server if the connection ends in order, which would be the end of the body to some. */
    private static int lengthUntilReset(ScriptedServer.ServerConnection wire) throws IOException {
        int length = 0;
        try {
            while (wire.take(1).length > 0) {
                length++;
            }
        } catch (SocketException reset) {
            return length;
        }
        return Integer.MAX_VALUE;
    }

    private static void error(ScriptedServer.ServerConnection wire, String status, String code) throws IOException {
        String text = "<Error><Code>%s</Code><Message>m</Message></Error>".formatted(code);
        wire.text("HTTP/1.1 %s\r\nContent-Length: %d\r\nContent-Type: application/xml\r\n\r\n%s"
                .formatted(status, text.length(), text));
    }
}
