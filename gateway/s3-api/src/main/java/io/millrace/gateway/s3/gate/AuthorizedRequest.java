package io.millrace.gateway.s3.gate;

import io.millrace.auth.Authentication;
import io.millrace.auth.SignedRequest;
import io.millrace.auth.payload.PayloadHeaders;
import io.millrace.auth.payload.PayloadReader;
import io.millrace.auth.policy.AccessPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.routing.Route;
import io.millrace.gateway.s3.routing.S3Operation;
import io.millrace.gateway.s3.routing.UnknownField;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * The gate's word: this request is this operation, it comes from this principal, and it may be served. Only {@link Gate}
 * can make one, and a handler takes nothing else, so no handler can be reached around the gate.
 */
public final class AuthorizedRequest {
    private static final String BYPASS = "x-amz-bypass-governance-retention";

    private final S3Request request;
    private final Route route;
    private final Authentication authentication;
    private final AccessPolicy policy;
    private final DocumentReader documents;

    AuthorizedRequest(
            S3Request request,
            Route route,
            Authentication authentication,
            AccessPolicy policy,
            DocumentReader documents) {
        this.request = request;
        this.route = route;
        this.authentication = authentication;
        this.policy = policy;
        this.documents = documents;
    }

    public S3Request request() {
        return request;
    }

    public S3Operation operation() {
        return route.operation();
    }

    /** The fields of the request that nobody knows; empty for most. A handler forwards all of them, or serves nothing. */
    public List<UnknownField> unknownFields() {
        return route.unknown();
    }

    public Principal principal() {
        return authentication.principal();
    }

    /** Whether a signature vouches for the request; its parameters are the caller's own words then. */
    public boolean isSigned() {
        return !(authentication instanceof Authentication.Anonymous);
    }

    /**
     * The bucket it is about.
     *
     * @throws NoSuchElementException for an operation on the service
     */
    public BucketName bucket() {
        return request.target().bucket().orElseThrow();
    }

    /**
     * The key it is about.
     *
     * @throws NoSuchElementException for an operation on the service or a bucket
     */
    public ObjectKey key() {
        return request.target().key().orElseThrow();
    }

    /**
     * The body, decoded, and held against everything that was said of it; see {@link PayloadReader}. Once. Of a body that has no
     * bytes nothing could be held back, so it comes when all of it has been verified. Fails with an {@link S3Exception}.
     */
    public Mono<UploadBody> body() {
        return Mono.defer(() -> VerifiedBodyReader.verified(decoded(request)));
    }

    private UploadBody decoded(SignedRequest headers) {
        return VerifiedBodyReader.read(
                authentication, PayloadHeaders.of(headers), request.body().content());
    }

    /**
     * What {@code use} makes of the body of a request that carries a document. Its memory counts until that is done; a large one is
     * given to {@code use} on another thread than the connection's. Fails with SlowDown where documents take all the memory that
     * they may.
     *
     * @param maxBytes of it; more is MalformedXML, as no document of S3's has more
     */
    public <T> Mono<T> withDocument(int maxBytes, Function<byte[], Mono<T>> use) {
        return withDocument(request, maxBytes, use);
    }

    /** The same where checksums in the head are of something else than the document. */
    public <T> Mono<T> withUncheckedDocument(int maxBytes, Function<byte[], Mono<T>> use) {
        return withDocument(new ChecksumlessRequest(request), maxBytes, use);
    }

    private <T> Mono<T> withDocument(SignedRequest headers, int maxBytes, Function<byte[], Mono<T>> use) {
        return Mono.defer(() -> {
            if (request.body().announcedLength() == 0) {
                // Many that carry no document do not say how long it is.
                VerifiedBodyReader.requireOfNone(authentication);
                return use.apply(new byte[0]);
            }
            UploadBody body = decoded(headers);
            if (body.length() > maxBytes) {
                throw new S3Exception(S3ErrorCode.MALFORMED_XML);
            }
            return documents.with(principal().name(), body, use);
        });
    }

    /** Whether the caller may read another object than the one it is about. */
    public boolean canRead(BucketName other, ObjectKey key) {
        return policy.allows(principal(), Right.READ, other, Optional.of(key));
    }

    /**
     * Whether the caller may delete this key of the bucket it is about, in the way the request asks for: to pass over a lock takes
     * the right to administer.
     */
    public boolean canDelete(ObjectKey key) {
        return policy.allows(principal(), Right.DELETE, bucket(), Optional.of(key))
                && (!passesOverLocks() || policy.allows(principal(), Right.ADMIN, bucket(), Optional.of(key)));
    }

    /** Whether the caller may administer the key it is about, or the bucket if it is about no key. */
    public boolean canAdminister() {
        return policy.allows(
                principal(), Right.ADMIN, bucket(), request.target().key());
    }

    /** Whether the caller may configure another bucket than the one it is about. */
    public boolean canConfigure(BucketName other) {
        return policy.allows(principal(), Right.ADMIN, other, Optional.empty());
    }

    private boolean passesOverLocks() {
        return request.headers().first(BYPASS).isPresent()
                || request.query().stream()
                        .anyMatch(parameter -> parameter.name().equalsIgnoreCase(BYPASS));
    }

    /**
     * Whether the caller may learn that a key is absent. As in S3, whoever may not list it is told that access is denied,
     * so that keys cannot be guessed.
     */
    public boolean canSeeMissingKeys() {
        return policy.allowsListing(principal(), bucket(), key().value());
    }

    /** A backend's failure as the caller may see it: that a key is absent is AccessDenied to whoever may not learn of it. */
    public Throwable hideMissingKey(BackendException failure) {
        boolean absent = failure.kind() == BackendException.FailureKind.NO_SUCH_KEY
                || failure.kind() == BackendException.FailureKind.NO_SUCH_VERSION
                || failure.headers().first("x-amz-delete-marker").isPresent();
        return absent && !canSeeMissingKeys() ? new S3Exception(S3ErrorCode.ACCESS_DENIED) : failure;
    }

    /** Whether the caller may know that a bucket exists. */
    public boolean canSee(BucketName bucket) {
        return policy.seesBucket(principal(), bucket);
    }
}
