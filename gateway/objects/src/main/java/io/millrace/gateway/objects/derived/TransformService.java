package io.millrace.gateway.objects.derived;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.backend.http.BodyFramer;
import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.ErrorStatusMapper;
import io.millrace.backend.http.HttpConnectionPool;
import io.millrace.backend.http.HttpPoolSettings;
import io.millrace.backend.http.HttpRequestHead;
import io.millrace.backend.http.HttpRequestSender;
import io.millrace.backend.http.HttpTimeouts;
import io.millrace.backend.http.ObjectKeyEncoding;
import io.millrace.backend.http.OutboundSettings;
import io.millrace.backend.http.OutgoingRequestBody;
import io.millrace.backend.http.RequestFailureMapper;
import io.millrace.backend.http.RetryAfter;
import io.millrace.backend.http.StreamingRequestBody;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.http.TransportFailures;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.resilience.GuardedService;
import io.millrace.backend.resilience.ResilienceSettings;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.KeyPathNormalizer;
import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.kit.async.DiscardedBuffers;
import io.millrace.kit.share.FairSemaphore;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The client of a service that makes new objects of others. It sends the bytes and nothing of who asks for them, and
 * takes the bytes of the response and their type, and nothing else. What it does not take whole is no result. The
 * breaker, the connections and the bound of calls are of this service alone, so that one in trouble hurts no other
 * bucket. Thread-safe.
 */
final class TransformService {
    /** The calls that wait for their turn; their readers share them. */
    static final int MOST_WAITING = 1024;

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final int TRIES = 3;

    /** The largest body of an error that is read; clients see its beginning. */
    private static final int MAX_ERROR_BYTES = 64 << 10;

    private static final int MOST_WORDS = 200;

    /** The type of a result of which nothing is said. */
    static final String NO_TYPE = "binary/octet-stream";

    /** The types that a browser shows but does not run. Of all others nothing is said. */
    private static final Set<String> TYPES = Set.of(
            "application/json",
            "application/octet-stream",
            "application/vnd.apache.arrow.stream",
            "application/vnd.apache.parquet",
            "application/x-ndjson",
            "application/x-tar",
            "image/avif",
            "image/bmp",
            "image/gif",
            "image/jpeg",
            "image/png",
            "image/tiff",
            "image/webp",
            "text/csv",
            "text/plain");

    private static final List<String> TYPE_FAMILIES = List.of("audio/", "video/");

    private final String name;
    private final TransformSettings settings;
    private final HttpConnectionPool connections;
    private final HttpRequestSender sender;
    private final HttpTimeouts timeouts;
    private final GuardedService guard;
    private final TransformHealth health;
    private final FairSemaphore results;
    private final RequestFailureMapper failures;
    private final MeterRegistry registry;
    private final Counter sent;
    private final Counter received;

    /**
     * @param settings of which method, arguments and version are those of each call, not of the service
     * @param health of the transform, which outlives this
     */
    TransformService(String name, TransformSettings settings, TransformHealth health, MeterRegistry registry) {
        this.name = name;
        this.settings = settings;
        this.health = health;
        this.connections = new HttpConnectionPool(new HttpPoolSettings(
                "transform-" + name,
                // One for the probe.
                settings.concurrency() + 1,
                CONNECT_TIMEOUT,
                CONNECT_TIMEOUT,
                new OutboundSettings(settings.tls(), Optional.empty())));
        this.sender = new HttpRequestSender(connections.client(settings.url().isSecure()));
        this.timeouts = new HttpTimeouts(settings.timeout(), settings.timeout(), settings.timeout());
        ResilienceSettings resilience = new ResilienceSettings(
                settings.timeout(),
                TRIES,
                settings.concurrency(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        this.guard = new GuardedService(
                "transform:" + name, Mono.defer(this::probe), resilience, settings.concurrency() + 1);
        this.results = new FairSemaphore(settings.concurrency(), MOST_WAITING, TransformFailures::tooManyCalls);
        this.failures = new RequestFailureMapper(
                "transform '%s' (%s)".formatted(name, settings.url().withoutQuery()));
        this.registry = registry;
        this.sent = counter(MeterName.TRANSFORM_INPUT);
        this.received = counter(MeterName.TRANSFORM_OUTPUT);
    }

    private Counter counter(MeterName meter) {
        return Counter.builder(meter.wireName())
                .description(meter.description())
                .baseUnit("bytes")
                .tag("transform", name)
                .register(registry);
    }

    /** Returns the most calls at a time. */
    int mostCalls() {
        return settings.concurrency();
    }

    /**
     * Makes a result. It holds its place among the results in memory until its bytes are used or it is released;
     * whoever cancels before there is one gives it up.
     */
    Mono<TransformResult> call(TransformSource source) {
        if (isElsewhere(source)) {
            return Mono.error(() -> TransformFailures.ofObject(
                    name, "its key has a segment . or .., which leads to another path of the service"));
        }
        return Mono.create(sink -> {
            Sinks.Empty<Void> released = Sinks.empty();
            AtomicBoolean isSourceAtFault = new AtomicBoolean();
            Mono<TransformResult> call = guard.run(Mono.defer(() -> send(source, isSourceAtFault)));
            Mono<Void> held = timed(call, isSourceAtFault)
                    .doOnNext(made -> sink.success(made.releasedBy(released::tryEmitEmpty)))
                    .then(released.asMono());
            Disposable turn = results.run(source.party(), held)
                    .contextWrite(sink.contextView())
                    .subscribe(unused -> {}, sink::error);
            sink.onCancel(turn);
        });
    }

    /** Returns whether a server, or a proxy before it, would take the path of a request for one outside the url. */
    private static boolean isElsewhere(TransformSource source) {
        String key = source.key().value();
        return source.transform().settings().method() == TransformSettings.Method.PUT
                && !KeyPathNormalizer.normalize(key).equals(key);
    }

    /** @param isSourceAtFault whether the last try lacked bytes of the object, so that its failure is no service's */
    private Mono<TransformResult> timed(Mono<TransformResult> call, AtomicBoolean isSourceAtFault) {
        return Mono.defer(() -> {
            Timer.Sample begun = Timer.start(registry);
            return call.doOnNext(made -> {
                        begun.stop(timer("ok"));
                        health.succeeded();
                    })
                    .doOnError(failure -> {
                        begun.stop(timer(isOfObject(failure) ? "refused" : "failed"));
                        if (isOfObject(failure)) {
                            health.succeeded();
                        } else if (!isSourceAtFault.get()) {
                            health.failed();
                        }
                    })
                    .doOnCancel(() -> begun.stop(timer("cancelled")));
        });
    }

    /** Returns what the outcomes of its calls say. */
    TransformHealth health() {
        return health;
    }

    private static boolean isOfObject(Throwable failure) {
        return failure instanceof BackendException known && known.kind() == FailureKind.INVALID_STATE;
    }

    private Timer timer(String outcome) {
        return Timer.builder(MeterName.TRANSFORM_CALL.wireName())
                .description(MeterName.TRANSFORM_CALL.description())
                .tag("transform", name)
                .tag("outcome", outcome)
                .register(registry);
    }

    private Mono<TransformResult> send(TransformSource source, AtomicBoolean isSourceAtFault) {
        isSourceAtFault.set(false);
        long size = source.original().head().size();
        if (size == 0) {
            return sender.send(request(source, size), OutgoingRequestBody.EMPTY, timeouts)
                    .flatMap(response -> response.status() == 200 ? result(source, response) : refused(response))
                    .onErrorMap(failure -> mapped(source, failure));
        }
        UploadBody bytes = UploadBody.of(size, source.input().doOnNext(piece -> sent.increment(piece.readableBytes())));
        StreamingRequestBody body = new StreamingRequestBody(bytes, new BodyFramer.Unframed(size), timeouts);
        return sender.send(request(source, size), body, timeouts)
                .flatMap(response -> response.status() == 200
                        ? body.requireFullySent(response).flatMap(whole -> result(source, whole))
                        : refused(response))
                // If the source fails, it is not the service that does.
                .onErrorMap(failure -> {
                    isSourceAtFault.set(body.failure().isPresent());
                    return body.failure().orElseGet(() -> mapped(source, failure));
                });
    }

    private BackendException mapped(TransformSource source, Throwable failure) {
        String key = source.key().value();
        // What is no HTTP, or begins with too large a head, is no defect of this gateway.
        boolean isUnreadable = TransportFailures.find(failure, DecoderException.class) != null
                || TransportFailures.find(failure, IllegalArgumentException.class) != null;
        BackendException known = failures.map(key, false, failure);
        return isUnreadable && known.kind() == FailureKind.UNEXPECTED ? failures.mapBody(key, failure) : known;
    }

    private HttpRequestHead request(TransformSource source, long size) {
        TransformSettings own = source.transform().settings();
        WebUrl url = settings.url();
        StringBuilder target = new StringBuilder(url.path());
        if (own.method() == TransformSettings.Method.PUT) {
            target.append(url.path().endsWith("/") ? "" : "/")
                    .append(source.bucket())
                    .append('/')
                    .append(ObjectKeyEncoding.encode(source.key()));
        }
        url.query().ifPresent(query -> target.append('?').append(query));
        if (!own.args().isEmpty()) {
            target.append(url.query().isPresent() ? '&' : '?')
                    .append("etl_args=")
                    .append(URLEncoder.encode(own.args(), StandardCharsets.UTF_8));
        }
        HeaderList headers = HeaderList.EMPTY
                .with("host", url.authority())
                .with("content-type", "application/octet-stream")
                .with("content-length", Long.toString(size));
        return new HttpRequestHead(own.method().name(), url.address(), target.toString(), headers);
    }

    /** Takes the whole body of a response. */
    private Mono<TransformResult> result(TransformSource source, StreamingResponse response) {
        Optional<String> unfit = whyUnfit(response);
        if (unfit.isPresent()) {
            response.body().discard();
            return Mono.error(TransformFailures.ofObject(name, unfit.get()));
        }
        HeaderList headers = HeaderList.EMPTY.with("content-type", type(response));
        return response.body()
                .reduceWith(() -> new TransformResult.Collector(source.making()), this::add)
                // One that comes while another thread cancels.
                .contextWrite(DiscardedBuffers.RELEASED)
                .map(all -> {
                    received.increment((double) all.size());
                    return all.result(source.original().head().lastModified(), headers);
                })
                .onErrorMap(
                        failure -> !(failure instanceof BackendException),
                        failure -> brokenOff(source.key().value(), failure));
    }

    /** Returns the failure of a response without its end: of a connection that ends, or of what is no HTTP. */
    private BackendException brokenOff(String key, Throwable failure) {
        return failure instanceof IOException ? failures.map(key, false, failure) : failures.mapBody(key, failure);
    }

    private TransformResult.Collector add(TransformResult.Collector all, ByteBuf piece) {
        try {
            if (all.size() + piece.readableBytes() > settings.maxSize().bytes()) {
                throw TransformFailures.tooLarge(name, settings.maxSize().bytes());
            }
            all.add(piece);
            return all;
        } finally {
            piece.release();
        }
    }

    /** Returns why the body of a response cannot be a result; empty if it can. */
    private static Optional<String> whyUnfit(StreamingResponse response) {
        @Nullable String coding = response.headers().get(HttpHeaderNames.CONTENT_ENCODING);
        if (coding != null && !coding.equalsIgnoreCase(HttpHeaderValues.IDENTITY.toString())) {
            return Optional.of("the service has encoded the result, as Content-Encoding says, which nobody asked for");
        }
        // Without chunks, what is encoded for the transfer ends with its connection; with them, it is still encoded.
        List<String> transfer = response.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        boolean isFramed = transfer.isEmpty()
                ? response.headers().contains(HttpHeaderNames.CONTENT_LENGTH)
                : transfer.stream().allMatch(HttpHeaderValues.CHUNKED::contentEqualsIgnoreCase);
        return isFramed
                ? Optional.empty()
                : Optional.of("the service does not tell where the result ends: it must send Content-Length");
    }

    private static String type(StreamingResponse response) {
        @Nullable String sent = response.headers().get(HttpHeaderNames.CONTENT_TYPE);
        String plain = sent == null ? "" : sent.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        boolean isSafe = TYPES.contains(plain)
                || (TYPE_FAMILIES.stream().anyMatch(plain::startsWith) && plain.matches("[a-z]+/[a-z0-9.+-]{1,60}"));
        return isSafe ? plain : NO_TYPE;
    }

    /** Fails with what a response without a result means: the object, or the service, is at fault. */
    private Mono<TransformResult> refused(StreamingResponse response) {
        int status = response.status();
        if (status < 400) {
            response.body().discard();
            String hint = status / 100 == 3 ? ", a redirect, which is not followed: correct the url" : "";
            return Mono.error(
                    TransformFailures.ofObject(name, "the service responds with %d%s".formatted(status, hint)));
        }
        return BufferedResponse.of(response, MAX_ERROR_BYTES, "the error response")
                .map(reply -> new String(reply.bytes(), StandardCharsets.UTF_8))
                .onErrorReturn("")
                .defaultIfEmpty("")
                .flatMap(words -> Mono.error(refusal(response, words)));
    }

    private BackendException refusal(StreamingResponse response, String words) {
        int status = response.status();
        FailureKind kind = ErrorStatusMapper.kind(status);
        String said = words.length() <= MOST_WORDS ? words : words.substring(0, MOST_WORDS);
        return kind.isTemporary()
                ? RetryAfter.addTo(
                        new BackendException(kind, "%d %s".formatted(status, said.strip())),
                        new HeaderList(response.fields()))
                : TransformFailures.ofObject(name, "the service responds with %d %s".formatted(status, said.strip()));
    }

    /** Asks whether the service responds. Any response will do but those of something in front of it. */
    private Mono<Integer> probe() {
        HttpRequestHead head = new HttpRequestHead(
                "GET",
                settings.url().address(),
                "/health",
                HeaderList.EMPTY.with("host", settings.url().authority()));
        return sender.send(head, OutgoingRequestBody.EMPTY, timeouts)
                .map(response -> {
                    response.body().discard();
                    if (response.status() >= 502 && response.status() <= 504) {
                        throw new BackendException(FailureKind.UNAVAILABLE, "status " + response.status());
                    }
                    return response.status();
                })
                .onErrorMap(failure -> failures.map("probe", false, failure));
    }
}
