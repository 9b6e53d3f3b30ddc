package io.millrace.gateway.s3.gate;

import io.millrace.auth.Authentication;
import io.millrace.auth.SignedRequest;
import io.millrace.auth.policy.AccessDecision;
import io.millrace.auth.policy.AccessScope;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.PolicyAction;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.RequestParameters;
import io.millrace.auth.policy.Right;
import io.millrace.auth.signature.PayloadHeaders;
import io.millrace.auth.signature.PayloadVerifier;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.Route;
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.UnknownField;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * A request that passed authentication and policy: its operation, its principal and its verified body. Only
 * {@link S3RequestAuthorizer} creates one and a handler accepts nothing else, so no handler can be reached around the
 * gate.
 */
public final class AuthorizedRequest {
    private static final String BYPASS = "x-amz-bypass-governance-retention";

    private final S3Request request;
    private final Route route;
    private final Authentication authentication;
    private final Principal principal;
    private final Optional<ObjectKey> archive;
    private final Authorizer authorizer;
    private final DocumentReader documents;
    private List<ObjectDecision> decisions = List.of();
    private volatile Optional<BatchTally> batch = Optional.empty();

    AuthorizedRequest(
            S3Request request,
            Route route,
            Authentication authentication,
            Principal principal,
            Optional<ObjectKey> archive,
            Authorizer authorizer,
            DocumentReader documents) {
        this.request = request;
        this.route = route;
        this.authentication = authentication;
        this.principal = principal;
        this.archive = archive;
        this.authorizer = authorizer;
        this.documents = documents;
        if (archive.isPresent()) {
            decisions = new ArrayList<>(List.of(new ObjectDecision(principal.name(), bucket(), archive.get(), true)));
        }
    }

    public S3Request request() {
        return request;
    }

    public S3Operation operation() {
        return route.operation();
    }

    /**
     * Returns the fields that no operation defines; empty for most requests. A handler forwards all of them or rejects
     * the request.
     */
    public List<UnknownField> unknownFields() {
        return route.unknown();
    }

    /** Returns the sender. */
    public Principal principal() {
        return principal;
    }

    /** Returns whether the request is signed, so that its parameters are known to come from the caller. */
    public boolean isSigned() {
        return !(authentication instanceof Authentication.Anonymous);
    }

    /**
     * Returns the bucket of the request.
     *
     * @throws NoSuchElementException for an operation on the service
     */
    public BucketName bucket() {
        return request.target().bucket().orElseThrow();
    }

    /**
     * Returns the key of the request.
     *
     * @throws NoSuchElementException for an operation on the service or a bucket
     */
    public ObjectKey key() {
        return request.target().key().orElseThrow();
    }

    /**
     * Returns the archive in the request's bucket whose members the request is about: the caller may read it, and
     * perhaps nothing else. Empty for a request about the objects of its bucket.
     */
    public Optional<ObjectKey> archive() {
        return archive;
    }

    /**
     * Returns the decoded body, verified against the request's length, hashes and checksums; see
     * {@link PayloadVerifier}. To be called once. An empty body has no last buffer to hold back, so it is emitted only
     * after verification. Fails with an {@link S3Exception}.
     */
    public Mono<UploadBody> body() {
        return Mono.defer(() -> VerifiedBodyReader.verified(decoded(request)));
    }

    private UploadBody decoded(SignedRequest headers) {
        return VerifiedBodyReader.read(
                authentication, PayloadHeaders.of(headers), request.body().content());
    }

    /**
     * Reads the whole body as a document, and returns the result of {@code use}. The document counts against the memory
     * for documents until that result completes. A large document is passed to {@code use} on another thread than the
     * connection's. Fails with SlowDown if documents already take too much of that memory.
     *
     * @param maxBytes the largest document; a larger one is MalformedXML, because no S3 document is larger
     */
    public <T> Mono<T> withDocument(int maxBytes, Function<byte[], Mono<T>> use) {
        return withDocument(request, maxBytes, use);
    }

    /**
     * Reads a document as {@link #withDocument} does, but ignores the checksums in the headers, because they are those
     * of an object.
     */
    public <T> Mono<T> withUncheckedDocument(int maxBytes, Function<byte[], Mono<T>> use) {
        return withDocument(new ChecksumHidingRequest(request), maxBytes, use);
    }

    private <T> Mono<T> withDocument(SignedRequest headers, int maxBytes, Function<byte[], Mono<T>> use) {
        return Mono.defer(() -> {
            if (request.body().announcedLength() == 0) {
                // Many clients send no length with an empty document.
                VerifiedBodyReader.requireOfNone(authentication);
                return use.apply(new byte[0]);
            }
            UploadBody body = decoded(headers);
            if (body.length() > maxBytes) {
                throw new S3Exception(S3ErrorCode.MALFORMED_XML);
            }
            return documents.with(principal.accountableName(), body, use);
        });
    }

    /**
     * Returns whether the caller may copy this object, which need not be that of the request. A copy that carries tags
     * along does what the caller may not be denied: reading and writing them.
     */
    public boolean canCopy(BucketName source, ObjectKey key, Optional<String> versionId) {
        return remember(principal.name(), source, key, allowsCopy(source, key, versionId));
    }

    private boolean allowsCopy(BucketName source, ObjectKey key, Optional<String> versionId) {
        AccessScope.Resource from = AccessScope.object(source, key);
        return decide(PolicyAction.GET_OBJECT, versionOf(from, versionId)).isAllowed()
                && (!carriesTags()
                        || !(decide(PolicyAction.GET_OBJECT_TAGGING, from).isDeniedByStatement()
                                || decide(PolicyAction.GET_OBJECT_VERSION_TAGGING, from)
                                        .isDeniedByStatement()
                                || decide(PolicyAction.PUT_OBJECT_TAGGING, target())
                                        .isDeniedByStatement()));
    }

    private AccessDecision decide(PolicyAction action, AccessScope scope) {
        return authorizer.decide(principal, action, scope);
    }

    private static AccessScope versionOf(AccessScope.Resource object, Optional<String> id) {
        return new AccessScope.Version(object.with(RequestParameters.ofVersion(id)));
    }

    private AccessScope.Resource target() {
        return AccessScope.resource(bucket(), request.target().key());
    }

    private boolean carriesTags() {
        return operation() != S3Operation.UPLOAD_PART_COPY
                && request.amzField("x-amz-tagging-directive")
                        .filter("REPLACE"::equals)
                        .isEmpty();
    }

    /**
     * Returns whether the caller may delete this key of the request's bucket, or a version of it. A request that
     * bypasses governance retention also needs the action for that.
     */
    public boolean canDelete(ObjectKey key, Optional<String> versionId) {
        boolean isAllowed = allowsDelete(key, versionId);
        return operation() == S3Operation.DELETE_OBJECTS
                ? remember(principal.name(), bucket(), key, isAllowed)
                : isAllowed;
    }

    private boolean allowsDelete(ObjectKey key, Optional<String> versionId) {
        AccessScope.Resource object = AccessScope.object(bucket(), key);
        return decide(PolicyAction.DELETE_OBJECT, versionOf(object, versionId)).isAllowed()
                && (!passesOverLocks()
                        || decide(PolicyAction.BYPASS_GOVERNANCE_RETENTION, object)
                                .isAllowed());
    }

    /** Returns whether the caller may read this object, an item of a batch. */
    public boolean canRead(BucketName bucket, ObjectKey key) {
        return remember(principal.name(), bucket, key, allowsRead(bucket, key));
    }

    /**
     * Returns whether the caller may read the members of this archive: whoever may read all of it, but of the archives
     * with a right for everybody only the zips, as with {@link ExtractionHeader}.
     */
    public boolean canReadMembers(BucketName bucket, ObjectKey archive) {
        boolean isAllowed = (isSigned() || ExtractionHeader.isZip(archive.value())) && allowsRead(bucket, archive);
        return remember(principal.name(), bucket, archive, isAllowed);
    }

    private boolean allowsRead(BucketName bucket, ObjectKey key) {
        return decide(PolicyAction.GET_OBJECT, new AccessScope.Version(AccessScope.object(bucket, key)))
                .isAllowed();
    }

    /** Begins to count what becomes of the items of a batch. */
    public BatchTally countBatch(int items) {
        BatchTally tally = new BatchTally(items);
        batch = Optional.of(tally);
        return tally;
    }

    /** Returns the count of the items of a batch; empty for another request. */
    public Optional<BatchTally> batch() {
        return batch;
    }

    /** Remembers a decision, and returns it. */
    synchronized boolean remember(String who, BucketName bucket, ObjectKey key, boolean isAllowed) {
        if (decisions.isEmpty()) {
            decisions = new ArrayList<>();
        }
        decisions.add(new ObjectDecision(who, bucket, key, isAllowed));
        return isAllowed;
    }

    /** Returns the decisions that were made about objects other than that of the request's target, in their order. */
    public synchronized List<ObjectDecision> decisions() {
        return List.copyOf(decisions);
    }

    /** Returns whether the caller may administer the key of the request, or its bucket if it has no key. */
    public boolean canAdminister() {
        return authorizer.decide(principal, Right.ADMIN, target()).isAllowed();
    }

    /** Returns whether the caller may configure this bucket, which need not be that of the request. */
    public boolean canConfigure(BucketName other) {
        return authorizer
                .decide(principal, Right.ADMIN, AccessScope.bucket(other))
                .isAllowed();
    }

    private boolean passesOverLocks() {
        return request.headers().first(BYPASS).isPresent()
                || request.query().stream()
                        .anyMatch(parameter -> parameter.name().equalsIgnoreCase(BYPASS));
    }

    /**
     * Returns whether the caller may learn that a key is absent. As in S3, a caller without the right to list gets
     * AccessDenied, so that keys cannot be guessed.
     */
    public boolean canSeeMissingKeys() {
        return canSeeMissing(bucket(), key());
    }

    private boolean canSeeMissing(BucketName bucket, ObjectKey key) {
        return decide(PolicyAction.LIST_BUCKET, AccessScope.listing(bucket, key.value()))
                .isAllowed();
    }

    /** Replaces the failure for an absent key by AccessDenied if the caller may not learn that the key is absent. */
    public Throwable hideMissingKey(BackendException failure) {
        return hideMissingKey(failure, bucket(), key());
    }

    /** Replaces the failure for an absent key of any bucket as {@link #hideMissingKey(BackendException)} does. */
    public Throwable hideMissingKey(BackendException failure, BucketName bucket, ObjectKey key) {
        boolean absent = failure.kind() == BackendException.FailureKind.NO_SUCH_KEY
                || failure.kind() == BackendException.FailureKind.NO_SUCH_VERSION
                || failure.headers().first("x-amz-delete-marker").isPresent();
        return absent && !canSeeMissing(bucket, key) ? new S3Exception(S3ErrorCode.ACCESS_DENIED) : failure;
    }

    /** Returns whether the caller may learn that a bucket exists. */
    public boolean canSee(BucketName bucket) {
        return authorizer.seesBucket(principal, bucket);
    }
}
