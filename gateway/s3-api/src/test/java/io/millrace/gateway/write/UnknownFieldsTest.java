package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.ForwardResponse;
import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.RequestForwarder.StreamingForwardResponse;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.publisher.TestPublisher;

/**
 * What nobody knows goes to a backend that may, for who may do everything there or what the operator lists; and nowhere
 * else.
 */
@ExtendWith(BufferLeakExtension.class)
class UnknownFieldsTest {
    private static final String NEW = "x-amz-brand-new: 1";
    private static final ObjectRef KEY = new ObjectRef(new BucketName("bucket"), new ObjectKey("key"));
    private static final byte[] OLD = "old bytes".getBytes(StandardCharsets.UTF_8);
    private static final byte[] CHANGED = "changed by a write that nobody knows".getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path folder;

    private final InMemoryBackend objects = new InMemoryBackend(EnumSet.of(Capability.WRITE, Capability.COPY));
    private final KnowingBackend backend = new KnowingBackend(objects);
    private BlockCache cache;
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        for (String bucket : List.of("bucket", "real", "listed", "plain")) {
            objects.store(new ObjectRef(new BucketName(bucket), KEY.key()), OLD, HeaderList.EMPTY);
        }
        cache = CacheFixture.in(folder);
        gateway = TestGateway.builder()
                .cache(cache)
                .freshness(new FreshnessSettings(
                        FreshnessSettings.Mode.TTL,
                        Duration.ofHours(1),
                        Duration.ofHours(1),
                        Duration.ofHours(1),
                        Duration.ZERO,
                        Duration.ZERO))
                .bucket("view", backend, "part/", "none")
                .bucket("public", backend, "", "read,list")
                .bucket("plain", objects)
                .bucket("bucket", backend)
                .alias("renamed", "real", "")
                .forwardUnknown("X-Amz-Brand-New", "newThing")
                .bucket("listed", backend)
                .identity("writer", "WRITER", "writer-secret", "read,list,write,delete:*", "admin:*/key")
                .identity("shut", "SHUT", "shut-secret", "write,delete:*")
                .identity("reader", "READER", "reader-secret", "read,list:*")
                .identity("chief", "CHIEF", "chief-secret", "admin:*")
                .start();
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
    }

    @Test
    void readIsForwardedPastTheCache() throws IOException {
        for (int i = 0; i < 2; i++) {
            RawClient.Response response =
                    send(SignedWriteRequest.get("/bucket/key?versionId=v1&newThing=a%26b&x-id=GetObject")
                            .with(NEW, "Range: bytes=0-3", "If-None-Match: \"other\""));

            assertThat(response.status()).as(response.text()).isEqualTo(206);
            assertThat(response.text()).isEqualTo("forwarded");
            assertThat(response.headers())
                    .containsEntry("content-range", "bytes 0-8/100")
                    .containsEntry("x-amz-answers-new", "yes")
                    .containsEntry("cache-status", "millrace; fwd=bypass");
        }
        ForwardRequest sent = backend.only(2);
        assertThat(sent.method()).isEqualTo("GET");
        assertThat(sent.query())
                .containsExactlyInAnyOrder(
                        new QueryParameter("versionId", "v1"), new QueryParameter("newThing", "a&b"));
        assertThat(sent.headers().fields())
                .containsExactlyInAnyOrder(
                        new HeaderList.HeaderField("x-amz-brand-new", "1"),
                        new HeaderList.HeaderField("range", "bytes=0-3"),
                        new HeaderList.HeaderField("if-none-match", "\"other\""));
    }

    @Test
    void responseThatComesAfterItsClientLeftIsDiscarded() throws IOException {
        AtomicInteger discarded = new AtomicInteger();
        TestPublisher<StreamingForwardResponse> late =
                TestPublisher.createNoncompliant(TestPublisher.Violation.DEFER_CANCELLATION);
        backend.forwarded = Mono.empty().then(late.mono());
        try (RawClient client = new RawClient(gateway.port())) {
            String request = SignedWriteRequest.get("/bucket/key").with(NEW).text();
            client.socket().getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            Polling.until("the read is forwarded", late::wasSubscribed);
        }
        Polling.until("its client has left", late::wasCancelled);

        late.next(new StreamingForwardResponse(
                200,
                HeaderList.EMPTY,
                OptionalLong.of(10),
                Flux.<ByteBuf>never().doOnCancel(discarded::incrementAndGet)));

        assertThat(discarded).hasValue(1);
    }

    /**
     * Of the client's own signature, date, hashes and connection nothing reaches the backend, nor what servers say to
     * each other.
     */
    @Test
    void doesNotForwardConnectionHeaders() throws IOException {
        RawClient.Response response = send(SignedWriteRequest.put("/bucket/key", CHANGED)
                .with(
                        NEW,
                        "Date: Thu, 01 Jan 2026 00:00:00 GMT",
                        "x-amz-user-agent: sdk",
                        "X-Forwarded-For: 10.0.0.1",
                        "Forwarded: for=10.0.0.1",
                        "X-Real-Ip: 10.0.0.1",
                        "X-Minio-Source-Replication-Request: true",
                        "Proxy-Authorization: Basic eA==",
                        "Proxy-Connection: keep-alive",
                        "Keep-Alive: timeout=5",
                        "TE: trailers",
                        "Via: 1.1 proxy",
                        "Cookie: a=b",
                        "Accept-Encoding: gzip",
                        "Content-Type: text/new"));

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(backend.only(1).headers().fields())
                .containsExactlyInAnyOrder(
                        new HeaderList.HeaderField("x-amz-brand-new", "1"),
                        new HeaderList.HeaderField("content-type", "text/new"));
        assertThat(backend.only(1).repeatable()).isFalse();
        assertThat(backend.bodies).containsExactly(new String(CHANGED, StandardCharsets.UTF_8));
    }

    @Test
    void writeOfAnObjectIsSeenAtOnce() throws IOException {
        warm();

        assertThat(send(SignedWriteRequest.put("/bucket/key", CHANGED).with(NEW))
                        .status())
                .isEqualTo(200);

        assertSeen();
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            PUT,    /bucket/key?newThing
            POST,   /bucket/key?newThing&newValue=2
            DELETE, /bucket/key?newThing
            PUT,    /bucket?newThing
            POST,   /bucket?newThing
            POST,   /bucket?delete&newThing
            DELETE, /bucket?newThing
            PUT,    /bucket?versioning&newThing
            """)
    void whateverAWriteMayHaveChangedIsRequestedAgain(String method, String target) throws IOException {
        warm();

        RawClient.Response response = send(SignedWriteRequest.of(method, target));

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(response.text()).isEqualTo("<Done/>");
        assertSeen();
        assertThat(backend.only(1).repeatable()).isFalse();
    }

    /** The answer is lost, and the write was done. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            PUT, /bucket/key?newThing
            PUT, /bucket?newThing
            """)
    void unacknowledgedForwardedWriteInvalidates(String method, String target) throws IOException {
        warm();
        backend.losesAnswers = true;

        EndpointWriteCases.assertError(send(SignedWriteRequest.of(method, target)), 503, "ServiceUnavailable");

        assertSeen();
        assertThat(backend.sent).hasSize(1);
    }

    @Test
    void operatorsListNeedsTheRightOfTheMethod() throws IOException {
        assertThat(byWriter("GET", "/listed/key", NEW).status()).isEqualTo(206);
        assertThat(byWriter("PUT", "/listed/other", NEW).status()).isEqualTo(200);
        assertThat(byWriter("GET", "/listed?newThing").status()).isEqualTo(206);
        EndpointWriteCases.assertError(byWriter("PUT", "/listed?newThing"), 403, "AccessDenied");
        assertThat(backend.sent).hasSize(3);

        // To administer does not mean to read or to write.
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.get("/listed/key").with(NEW).by("CHIEF", "chief-secret")), 403, "AccessDenied");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("POST", "/bucket?delete&newThing").by("CHIEF", "chief-secret")),
                403,
                "AccessDenied");
        assertThat(backend.sent).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            GET, /bucket/key,               writer
            PUT, /bucket/key,               writer
            GET, /bucket/key?newThing,      writer
            GET, /bucket?versioning,        writer
            GET, /listed/key?otherThing,    writer
            GET, /view/key,                 all
            PUT, /view/key,                 all
            GET, /view?versioning,          all
            GET, /view?lifecycle,           all
            GET, /plain/key,                all
            GET, /,                         all
            GET, /renamed?lifecycle,        all
            PUT, /bucket/key?acl,           all
            """)
    void elsewhereTheErrorNamesTheFieldAndTheSetting(String method, String target, String who) throws IOException {
        String field = target.contains("Thing") ? target.substring(target.indexOf('?') + 1) : "x-amz-brand-new";
        SignedWriteRequest ask = SignedWriteRequest.of(method, target);
        SignedWriteRequest requested = target.contains("Thing") ? ask : ask.with(NEW);

        RawClient.Response response = send(who.equals("writer") ? requested.by("WRITER", "writer-secret") : requested);

        EndpointWriteCases.assertError(response, 501, "NotImplemented");
        assertThat(response.element("Message")).contains("'" + field + "'", "forward-unknown", "admin");
        assertThat(response.element(target.contains("Thing") ? "Parameter" : "Header"))
                .isEqualTo(field);
        assertThat(backend.sent).isEmpty();
    }

    @Test
    void bucketOfAnotherNameIsForwarded() throws IOException {
        assertThat(send(SignedWriteRequest.get("/renamed/key").with(NEW)).status())
                .isEqualTo(206);

        assertThat(backend.only(1).bucket()).isEqualTo(new BucketName("real"));
    }

    /** Known, and not modelled; said by servers; or meaningful elsewhere: no backend hears of it, whoever asks. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "PUT /bucket/key?renameObject",
                "PUT /bucket/key?append&position=0",
                "GET /bucket?session",
                "GET /bucket/key?response-etag=x",
                "GET /bucket/key?versions",
                "GET /bucket/key?versionid=v1",
                "PUT /bucket/key x-amz-rename-source: /bucket/other",
                "PUT /bucket/key x-amz-write-offset-bytes: 5",
                "PUT /bucket/key x-amz-object-lock-event-hold: ON",
                "PUT /bucket/key x-amz-object-lock-event-hold-duration-days: 5",
                "PUT /bucket/key x-amz-replication-status: REPLICA",
                "PUT /bucket/key x-amz-version-id: v1",
                "GET /bucket/key x-amz-s3session-token: t",
                "GET /bucket/key x-amz-request-route: r",
                "GET /bucket/key x-amz-copy-source: /bucket/other",
                "GET /bucket/key x-amz-meta-a: b",
            })
    void unsupportedRequestsStayRefused(String request) throws IOException {
        for (String more : new String[] {"", NEW}) {
            String[] words = request.split(" ", 3);
            SignedWriteRequest ask = SignedWriteRequest.of(words[0], words[1]);
            if (words.length > 2) {
                ask = ask.with(words[2]);
            }

            EndpointWriteCases.assertError(send(more.isEmpty() ? ask : ask.with(more)), 501, "NotImplemented");
        }
        assertThat(backend.sent).isEmpty();
    }

    @Test
    void refusesFieldsThatChangeTheMeaning() throws IOException {
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.put("/bucket/key", new byte[0]).with(NEW, "x-amz-copy-source: /bucket/other")),
                501,
                "NotImplemented");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.get("/bucket/key").with(NEW, "If-Range: \"a\"")), 501, "NotImplemented");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.get("/bucket/key").with(NEW, "Connection: keep-alive, X-Amz-Brand-New")),
                501,
                "NotImplemented");
        for (String condition : List.of("If-None-Match: *", "If-Match: \"a\"", "x-amz-if-match-size: 1")) {
            EndpointWriteCases.assertError(
                    send(SignedWriteRequest.of("DELETE", "/bucket/key").with(NEW, condition)), 501, "NotImplemented");
        }
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.get("/bucket/key?newThing=1&newThing=2")), 400, "InvalidArgument");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.get("/bucket/key?x-amz-new=1&X-Amz-New=2")), 400, "InvalidArgument");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.get("/bucket/key?x-amz-brand-new=1").with(NEW)), 400, "InvalidArgument");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.get("/bucket/key?x-amz-checksum-brand-new=1")), 501, "NotImplemented");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.put("/bucket/key", new byte[1]).with(NEW, "x-amz-acl: public-read")),
                400,
                "AccessControlListNotSupported");
        assertThat(backend.sent).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\u0001b", "a\u007fb"})
    void valuesThatNoHeaderCarriesAreRefused(String value) throws IOException {
        RawClient.Response response = send(SignedWriteRequest.get("/bucket/key").with("x-amz-brand-new: " + value));

        assertThat(response.status()).isEqualTo(400);
        assertThat(backend.sent).isEmpty();
    }

    /** An unknown POST may answer with the bytes, and what is left of a known operation keeps its right. */
    @Test
    void unknownFieldTakesNoRightAway() throws IOException {
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("POST", "/listed/key?newThing").by("SHUT", "shut-secret")),
                403,
                "AccessDenied");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.get("/listed/key?uploadId=1&newThing").by("READER", "reader-secret")),
                403,
                "AccessDenied");
        assertThat(send(SignedWriteRequest.get("/listed/key?newThing").by("READER", "reader-secret"))
                        .status())
                .isEqualTo(206);
        EndpointWriteCases.assertError(send(SignedWriteRequest.get("/bucket/key?=1")), 400, "InvalidArgument");
    }

    @Test
    void strangersAreDenied() throws IOException {
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.get("/public/key").with(NEW).anonymous()), 403, "AccessDenied");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.get("/public?newThing").anonymous()), 403, "AccessDenied");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("POST", "/public?newThing").anonymous()), 403, "AccessDenied");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("OPTIONS", "/public/key").with(NEW).anonymous()), 403, "AccessDenied");
        assertThat(backend.sent).isEmpty();
    }

    /** It stands in the request, and the signature does not cover it. */
    @Test
    void unsignedFieldIsDenied() throws IOException {
        String signed = SignedWriteRequest.get("/bucket/key").text();

        RawClient.Response header = RawClient.ask(gateway.port(), signed.replaceFirst("\r\n", "\r\n" + NEW + "\r\n"));
        RawClient.Response parameter =
                RawClient.ask(gateway.port(), signed.replaceFirst("/bucket/key ", "/bucket/key?newThing "));

        assertThat(header.status()).as(header.text()).isEqualTo(403);
        assertThat(parameter.status()).as(parameter.text()).isEqualTo(403);
        assertThat(backend.sent).isEmpty();
    }

    @Test
    void settingsThatCannotWorkAreRefused() {
        assertThatThrownBy(() -> TestGateway.builder().forwardUnknown("new").bucket("bucket", objects, "part/", "none"))
                .hasMessageContaining("prefix");
    }

    /** Object, absence and list are known. */
    private void warm() throws IOException {
        assertThat(send(SignedWriteRequest.get("/bucket/key")).bytes()).isEqualTo(OLD);
        Polling.until("the object is a hit", () -> isHit("/bucket/key"));
        assertThat(send(SignedWriteRequest.get("/bucket?list-type=2")).text())
                .contains("<Size>" + OLD.length + "</Size>");
        Polling.until("the list is a hit", () -> isHit("/bucket?list-type=2"));
    }

    /**
     * Not of the next read for certain: it may join the fetch of the first, which ends a little later than its
     * response.
     */
    private boolean isHit(String target) throws IOException {
        return String.valueOf(send(SignedWriteRequest.get(target)).headers().get("cache-status"))
                .startsWith("millrace; hit");
    }

    private void assertSeen() throws IOException {
        assertThat(send(SignedWriteRequest.get("/bucket/key")).bytes()).isEqualTo(CHANGED);
        assertThat(send(SignedWriteRequest.get("/bucket?list-type=2")).text())
                .contains("<Size>" + CHANGED.length + "</Size>");
    }

    private RawClient.Response byWriter(String method, String target, String... fields) throws IOException {
        return send(SignedWriteRequest.of(method, target).with(fields).by("WRITER", "writer-secret"));
    }

    private RawClient.Response send(SignedWriteRequest ask) throws IOException {
        return ask.send(gateway.port());
    }

    /** Knows what nobody knows: reads answer the same, and every write changes the object behind the gateway's back. */
    private static final class KnowingBackend extends PassingBackend {
        private final InMemoryBackend objects;
        private final Queue<ForwardRequest> sent = new ConcurrentLinkedQueue<>();
        private final Queue<String> bodies = new ConcurrentLinkedQueue<>();
        private volatile boolean losesAnswers;

        /** The response that reads get instead. */
        private volatile @Nullable Mono<StreamingForwardResponse> forwarded;

        KnowingBackend(InMemoryBackend objects) {
            super(objects);
            this.objects = objects;
        }

        ForwardRequest only(int times) {
            assertThat(sent).hasSize(times);
            return sent.element();
        }

        @Override
        public Set<Capability> capabilities() {
            return forwardingCapabilities();
        }

        @Override
        public Mono<StreamingForwardResponse> forwardRead(ForwardRequest request) {
            @Nullable Mono<StreamingForwardResponse> instead = forwarded;
            if (instead != null) {
                return instead;
            }
            return Mono.fromSupplier(() -> {
                sent.add(request);
                ByteBuf bytes = Unpooled.copiedBuffer("forwarded", StandardCharsets.UTF_8);
                return new StreamingForwardResponse(
                        206,
                        HeaderList.EMPTY.with("content-range", "bytes 0-8/100").with("x-amz-answers-new", "yes"),
                        OptionalLong.of(bytes.readableBytes()),
                        Flux.just(bytes));
            });
        }

        @Override
        public Mono<ForwardResponse> forwardWrite(ForwardRequest request, UploadBody body) {
            return body.pieces()
                    .map(piece -> {
                        String text = piece.toString(StandardCharsets.UTF_8);
                        piece.release();
                        return text;
                    })
                    .reduce("", String::concat)
                    .flatMap(text -> {
                        bodies.add(text);
                        return changed(request);
                    });
        }

        @Override
        public Mono<ForwardResponse> forward(ForwardRequest request) {
            return Mono.defer(() -> changed(request));
        }

        private Mono<ForwardResponse> changed(ForwardRequest request) {
            sent.add(request);
            objects.store(KEY, CHANGED, HeaderList.EMPTY);
            return losesAnswers
                    ? Mono.error(new BackendException(FailureKind.UNAVAILABLE, "no answer"))
                    : Mono.just(new ForwardResponse(
                            200, HeaderList.EMPTY, ByteBuffer.wrap("<Done/>".getBytes(StandardCharsets.UTF_8))));
        }
    }
}
