package io.millrace.gateway.s3.sts;

import io.millrace.auth.SignatureSettings;
import io.millrace.auth.oidc.WebIdentityVerifier;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.session.CredentialFinder;
import io.millrace.auth.session.RoleRegistry;
import io.millrace.auth.session.Sessions;
import io.millrace.auth.session.StsSettings;
import io.millrace.auth.signature.StsRequestVerifier;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.audit.AuditLog;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.sts.StsException.Code;
import io.millrace.kit.xml.XmlWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/**
 * Serves STS: forms that are posted to the root of the S3 port or to {@code /sts}. Whoever can connect may send them, so their number, size
 * and time are limited for all clients together. Thread-safe.
 */
public final class StsService {
    private static final String NAMESPACE = "https://sts.amazonaws.com/doc/2011-06-15/";

    /** The path beside the root, as if it were a bucket; some SDKs add a slash. */
    private static final BucketName PATH = new BucketName("sts");

    private static final String FORM = "application/x-www-form-urlencoded";
    private static final String VERSION = "2011-06-15";
    private static final int MOST_BYTES = 32 << 10;
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final int MOST_REQUESTS = 256;

    private static final int THREADS = 4;

    /** Runs work that may wait for an issuer's keys. All snapshots of the settings share it. */
    private static final Executor BLOCKING = executor();

    private final boolean plainHttp;
    private final Optional<RoleAssumption> assumption;
    private final Optional<SignedIssuance> issuance;
    private final StsAudit audit;
    private final CallerIdentity caller;
    private final Semaphore room = new Semaphore(MOST_REQUESTS);

    /**
     * @param sessions empty if there are no roles
     * @param audit empty if there is no audit log
     */
    public StsService(
            StsSettings settings,
            CredentialFinder credentials,
            Optional<Sessions> sessions,
            SignatureSettings signatures,
            Optional<AuditLog> audit,
            InstantSource clock) {
        RoleRegistry roles = new RoleRegistry(settings.roles());
        this.plainHttp = settings.plainHttp();
        this.assumption = sessions.map(
                issuer -> new RoleAssumption(new WebIdentityVerifier(settings.issuers(), clock), roles, issuer));
        this.issuance = sessions.map(issuer -> new SignedIssuance(roles, issuer));
        this.audit = new StsAudit(audit, clock);
        this.caller = new CallerIdentity(new StsRequestVerifier(credentials, signatures, clock));
    }

    /** Returns whether the request is for STS; S3 has no operation with this method, path and type. */
    public static boolean accepts(S3Request request) {
        return request.method().equals("POST")
                && isAt(request.target())
                && request.headers()
                        .first("content-type")
                        .filter(type -> type.toLowerCase(Locale.ROOT).startsWith(FORM))
                        .isPresent();
    }

    /** A bucket of that name keeps what has a query, such as DeleteObjects. */
    private static boolean isAt(RequestTarget target) {
        return target.bucket().isEmpty()
                || (target.bucket().get().equals(PATH)
                        && target.key().isEmpty()
                        && target.query().isEmpty());
    }

    /** Returns the response to a request that it {@link #accepts}; failures have STS's format. */
    public Mono<S3Response> serve(S3Request request) {
        return Mono.defer(() ->
                        room.tryAcquire() ? respond(request).doFinally(end -> room.release()) : Mono.error(throttled()))
                .onErrorMap(RejectedExecutionException.class, e -> throttled())
                .onErrorResume(StsException.class, e -> Mono.just(error(e, request.requestId())));
    }

    private Mono<S3Response> respond(S3Request request) {
        return read(request)
                .flatMap(form -> run(request, form, StsParameters.parse(form)))
                .map(document -> S3Response.xml(200, HeaderList.EMPTY, document));
    }

    private Mono<ByteBuffer> run(S3Request request, byte[] form, StsParameters parameters) {
        if (!parameters.required("Version").equals(VERSION)) {
            throw unknownAction();
        }
        return switch (parameters.required("Action")) {
            case CallerIdentity.ACTION ->
                Mono.fromSupplier(
                        () -> CallerIdentity.run(signer(request, form, parameters), parameters, request.requestId()));
            case RoleAssumption.ACTION ->
                issue(
                        request,
                        parameters,
                        Optional.empty(),
                        () -> assumption.orElseThrow().run(parameters, request.requestId()));
            case SignedIssuance.ASSUME_ROLE -> {
                Principal signer = signer(request, form, parameters);
                yield issue(
                        request,
                        parameters,
                        Optional.of(signer),
                        () -> stillSigned(
                                issuance.orElseThrow().assumeRole(signer, parameters, request.requestId()),
                                request,
                                form));
            }
            case SignedIssuance.GET_SESSION_TOKEN -> {
                Principal signer = signer(request, form, parameters);
                boolean isTemporary =
                        request.headers().first("x-amz-security-token").isPresent();
                yield issue(
                        request,
                        parameters,
                        Optional.of(signer),
                        () -> stillSigned(
                                issuance.orElseThrow()
                                        .getSessionToken(signer, isTemporary, parameters, request.requestId()),
                                request,
                                form));
            }
            default -> throw unknownAction();
        };
    }

    /**
     * Returns credentials if their signer is not revoked yet, though the request may have waited: a revocation ends sessions that were
     * issued before it.
     */
    private IssuedCredentials stillSigned(IssuedCredentials issued, S3Request request, byte[] form) {
        Principal unused = caller.verified(request, form);
        return issued;
    }

    /** Issues credentials, and records that or the refusal in the audit log. */
    private Mono<ByteBuffer> issue(
            S3Request request,
            StsParameters parameters,
            Optional<Principal> signer,
            Supplier<IssuedCredentials> operation) {
        return Mono.defer(() -> {
                    requireIssuing(request);
                    return offTheLoop(operation);
                })
                .doOnNext(issued -> audit.issued(request, parameters, signer, issued))
                .doOnError(StsException.class, refusal -> audit.refused(request, parameters, signer, refusal))
                .map(IssuedCredentials::document);
    }

    private void requireIssuing(S3Request request) {
        if (issuance.isEmpty()) {
            throw new StsException(Code.ACCESS_DENIED, "There are no roles here.");
        }
        if (!plainHttp && !request.source().isSecure()) {
            throw new StsException(
                    Code.ACCESS_DENIED, "Temporary credentials are not issued over plain HTTP: use TLS.");
        }
        audit.requireWritable();
    }

    private Principal signer(S3Request request, byte[] form, StsParameters parameters) {
        try {
            return caller.verified(request, form);
        } catch (StsException refusal) {
            audit.refused(request, parameters, Optional.empty(), refusal);
            throw refusal;
        }
    }

    private static <T> Mono<T> offTheLoop(Supplier<T> work) {
        return Mono.create(sink -> BLOCKING.execute(() -> {
            try {
                sink.success(work.get());
            } catch (RuntimeException | Error e) {
                sink.error(e);
            }
        }));
    }

    private static Executor executor() {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                THREADS, THREADS, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(MOST_REQUESTS), work -> {
                    Thread thread = new Thread(work, "sts");
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    private static Mono<byte[]> read(S3Request request) {
        if (request.body().announcedLength() > MOST_BYTES) {
            return Mono.error(tooLong());
        }
        return request.body()
                .content()
                .reduceWith(Unpooled::buffer, StsService::append)
                .map(ByteBufUtil::getBytes)
                .timeout(LONGEST, Mono.error(() -> new StsException(Code.VALIDATION_ERROR, "The body took too long.")));
    }

    private static ByteBuf append(ByteBuf all, ByteBuf piece) {
        try {
            if (all.readableBytes() + piece.readableBytes() > MOST_BYTES) {
                throw tooLong();
            }
            return all.writeBytes(piece);
        } finally {
            piece.release();
        }
    }

    private static S3Response error(StsException failure, String requestId) {
        return S3Response.xml(
                failure.code().status(),
                HeaderList.EMPTY,
                XmlWriter.of("ErrorResponse", NAMESPACE)
                        .open("Error")
                        .element("Type", "Sender")
                        .element("Code", failure.code().text())
                        .element("Message", String.valueOf(failure.getMessage()))
                        .close()
                        .element("RequestId", requestId)
                        .bytes());
    }

    /** Returns the document of a successful response, whose elements {@code result} writes. */
    static ByteBuffer document(String action, String requestId, UnaryOperator<XmlWriter> result) {
        XmlWriter opened = XmlWriter.of(action + "Response", NAMESPACE).open(action + "Result");
        return result.apply(opened)
                .close()
                .open("ResponseMetadata")
                .element("RequestId", requestId)
                .close()
                .bytes();
    }

    private static StsException unknownAction() {
        return new StsException(
                Code.INVALID_ACTION,
                "The operations here are %s, %s, %s and %s of %s."
                        .formatted(
                                RoleAssumption.ACTION,
                                SignedIssuance.ASSUME_ROLE,
                                SignedIssuance.GET_SESSION_TOKEN,
                                CallerIdentity.ACTION,
                                VERSION));
    }

    private static StsException tooLong() {
        return new StsException(Code.VALIDATION_ERROR, "The body is longer than %d bytes.".formatted(MOST_BYTES));
    }

    private static StsException throttled() {
        return new StsException(Code.THROTTLING, "Rate exceeded");
    }
}
