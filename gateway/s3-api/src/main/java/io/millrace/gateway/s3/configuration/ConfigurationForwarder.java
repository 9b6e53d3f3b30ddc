package io.millrace.gateway.s3.configuration;

import io.millrace.auth.SignedRequest;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.ForwardResponse;
import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketSettings.AccessPolicyMode;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.bucket.ForwardedHeaders;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.RequestTarget.Level;
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.gateway.s3.protocol.S3Response;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * Serves one operation on configuration or object subresources, such as tags, ACLs and policies, by forwarding it to
 * the backend. A document that names keys or buckets is forwarded only if they have the same names there. Before a
 * change of an object, its cached metadata is invalidated.
 */
public final class ConfigurationForwarder implements S3Handler {
    /** The largest document. S3's own limits are 20 KiB for policies and 1,000 rules for the largest of the others. */
    private static final int MAX_DOCUMENT = 1 << 20;

    /**
     * Operations whose documents name keys or buckets. If the bucket is a prefix of another one, these may be out of
     * the caller's reach.
     */
    private static final Set<S3Operation> REVEALS_NAMES = EnumSet.of(
            S3Operation.GET_BUCKET_ANALYTICS_CONFIGURATION,
            S3Operation.GET_BUCKET_INTELLIGENT_TIERING_CONFIGURATION,
            S3Operation.GET_BUCKET_INVENTORY_CONFIGURATION,
            S3Operation.GET_BUCKET_LIFECYCLE_CONFIGURATION,
            S3Operation.GET_BUCKET_LOGGING,
            S3Operation.GET_BUCKET_METRICS_CONFIGURATION,
            S3Operation.GET_BUCKET_NOTIFICATION_CONFIGURATION,
            S3Operation.GET_BUCKET_POLICY,
            S3Operation.GET_BUCKET_REPLICATION,
            S3Operation.GET_BUCKET_WEBSITE,
            S3Operation.LIST_BUCKET_ANALYTICS_CONFIGURATIONS,
            S3Operation.LIST_BUCKET_INTELLIGENT_TIERING_CONFIGURATIONS,
            S3Operation.LIST_BUCKET_INVENTORY_CONFIGURATIONS,
            S3Operation.LIST_BUCKET_METRICS_CONFIGURATIONS);

    private static final Set<S3Operation> OBJECT_TAGGING = EnumSet.of(
            S3Operation.GET_OBJECT_TAGGING, S3Operation.PUT_OBJECT_TAGGING, S3Operation.DELETE_OBJECT_TAGGING);

    private static final S3Response EMPTY = S3Response.empty(200, HeaderList.EMPTY);

    private final S3Operation operation;
    private final BucketRegistry buckets;
    private final FencedWrites writes;

    private ConfigurationForwarder(S3Operation operation, BucketRegistry buckets, FencedWrites writes) {
        this.operation = operation;
        this.buckets = buckets;
        this.writes = writes;
    }

    /** Returns the handlers for all such operations. */
    public static Map<S3Operation, S3Handler> all(BucketRegistry buckets, FencedWrites writes) {
        Map<S3Operation, S3Handler> handlers = new EnumMap<>(S3Operation.class);
        for (S3Operation operation : S3Operation.values()) {
            if (operation.role() == S3Operation.Role.CONFIGURATION) {
                handlers.put(operation, new ConfigurationForwarder(operation, buckets, writes));
            }
        }
        return handlers;
    }

    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        BucketView bucket = buckets.find(authorized.bucket());
        boolean changesNothing = operation == S3Operation.PUT_OBJECT_ACL && !storesAcls(authorized, bucket);
        requireForwarded(authorized, bucket, changesNothing || hides(bucket));
        if (changesNothing) {
            return harmlessAcl(authorized, bucket);
        }
        if (!forwards(bucket) || hides(bucket)) {
            return unconfigured(authorized, bucket);
        }
        requireSameNames(bucket);
        HeaderList fields = ForwardedHeaders.of(authorized, bucket);
        return authorized.withDocument(MAX_DOCUMENT, document -> {
            DestinationBucketCheck.check(operation, document, other -> isTheirs(authorized, bucket, other));
            return AclAndPolicyGuard.check(operation, bucket, document, rightsNow(authorized, bucket))
                    .then(Mono.defer(() -> send(authorized, bucket, fields, document)))
                    .map(ConfigurationForwarder::response);
        });
    }

    /**
     * Returns whether the caller may let the backend write into a bucket: it is on this backend under the same name,
     * and the caller may configure it.
     */
    private boolean isTheirs(AuthorizedRequest authorized, BucketView bucket, BucketName named) {
        return authorized.canConfigure(named)
                && buckets.findAny(named)
                        .filter(other ->
                                other.isIdentity() && other.backendName().equals(bucket.backendName()))
                        .isPresent();
    }

    /** Rejects unknown fields in a request that the gateway answers itself, because they would be ignored. */
    private static void requireForwarded(AuthorizedRequest authorized, BucketView bucket, boolean respondedHere) {
        if (authorized.unknownFields().isEmpty()) {
            return;
        }
        UnknownFieldPolicy.require(authorized, bucket);
        if (respondedHere) {
            throw authorized.unknownFields().get(0).refused("the gateway answers this request by itself.");
        }
    }

    private boolean forwards(BucketView bucket) {
        boolean tags = OBJECT_TAGGING.contains(operation);
        return bucket.backend().capabilities().contains(tags ? Capability.TAGS : Capability.S3_CONFIGURATION);
    }

    private boolean storesAcls(AuthorizedRequest authorized, BucketView bucket) {
        return forwards(bucket)
                && bucket.settings().accessPolicies() == AccessPolicyMode.FORWARD
                && authorized.canAdminister();
    }

    /**
     * Accepts an ACL that grants nothing to others if the object has no grants to others now. Such an ACL changes
     * nothing, so the backend need not support ACLs. s3cmd sends one after each copy.
     */
    private Mono<S3Response> harmlessAcl(AuthorizedRequest authorized, BucketView bucket) {
        HeaderList fields = ForwardedHeaders.of(authorized, bucket); // refuses canned ACLs and grants for others
        return authorized.withDocument(MAX_DOCUMENT, document -> {
            if (document.length > 0) {
                return OwnerOnlyAclCheck.require(document, privateAcl(authorized, bucket))
                        .thenReturn(EMPTY);
            }
            if (fields.first("x-amz-acl").isEmpty()) {
                throw new S3Exception(400, "MissingSecurityHeader", "Your request is missing a required header")
                        .with("MissingHeaderName", "x-amz-acl");
            }
            return privateAcl(authorized, bucket).thenReturn(EMPTY);
        });
    }

    /** Returns the current ACL of an object; fails if it grants anything to others. */
    private Mono<ByteBuffer> privateAcl(AuthorizedRequest authorized, BucketView bucket) {
        Mono<ByteBuffer> own = Mono.defer(() -> exists(authorized, bucket))
                .map(supported -> MissingConfigurationResponses.aclDocument());
        Mono<ByteBuffer> now = forwards(bucket)
                ? rightsNow(authorized, bucket)
                        .map(OwnerOnlyAclCheck::requirePrivate)
                        .onErrorResume(ConfigurationForwarder::hasNoAcls, none -> own)
                : own;
        return now.onErrorMap(BackendException.class, authorized::hideMissingKey);
    }

    private static boolean hasNoAcls(Throwable failure) {
        return failure instanceof BackendException backend && backend.kind() == FailureKind.UNSUPPORTED;
    }

    /** Fetches the ACL of the bucket or object from the backend. */
    private Mono<ByteBuffer> rightsNow(AuthorizedRequest authorized, BucketView bucket) {
        ForwardRequest read = new ForwardRequest(
                "GET",
                bucket.backendBucket(),
                authorized.request().target().key().map(key -> bucket.at(key).key()),
                parameters(authorized),
                HeaderList.EMPTY,
                ByteBuffer.allocate(0));
        return bucket.backend().forward(read).map(ForwardResponse::body);
    }

    /** Responds for a backend without configuration, after a check that the bucket or object exists. */
    private Mono<S3Response> unconfigured(AuthorizedRequest authorized, BucketView bucket) {
        if (operation == S3Operation.GET_OBJECT_ATTRIBUTES) {
            return GetObjectAttributes.of(authorized, bucket);
        }
        return exists(authorized, bucket).map(supported -> MissingConfigurationResponses.of(operation));
    }

    private static Mono<?> exists(AuthorizedRequest authorized, BucketView bucket) {
        Optional<ObjectRef> object = authorized.request().target().key().map(bucket::at);
        return object.isPresent()
                ? bucket.backend().head(versioned(authorized, bucket, ReadRequest.of(object.get())))
                : bucket.backend().headBucket(bucket.backendBucket());
    }

    private static ReadRequest versioned(AuthorizedRequest authorized, BucketView bucket, ReadRequest object) {
        return bucket.versionId(authorized.request().target().parameter("versionId"))
                .map(object::withVersionId)
                .orElse(object);
    }

    private Mono<ForwardResponse> send(
            AuthorizedRequest authorized, BucketView bucket, HeaderList fields, byte[] document) {
        Optional<ObjectRef> object = authorized.request().target().key().map(bucket::at);
        ForwardRequest request = new ForwardRequest(
                operation.method(),
                bucket.backendBucket(),
                object.map(ObjectRef::key),
                parameters(authorized),
                fields,
                ByteBuffer.wrap(document),
                authorized.unknownFields().isEmpty());
        Mono<ForwardResponse> response = bucket.backend().forward(request);
        Optional<String> version = authorized.request().target().parameter("versionId");
        boolean changes = !operation.method().equals("GET");
        if (changes && object.isPresent()) {
            return writes.fenced(bucket, object.get(), version, response);
        }
        return changes && !authorized.unknownFields().isEmpty() ? writes.fencedBucket(bucket, response) : response;
    }

    /**
     * Returns the parameters of the operation without those of the signature. Each comes once, with the value that was
     * checked, because a backend could use the last.
     */
    private List<QueryParameter> parameters(AuthorizedRequest authorized) {
        if (!authorized.unknownFields().isEmpty()) {
            return UnknownFieldPolicy.parameters(authorized.request());
        }
        Map<String, QueryParameter> parameters = new LinkedHashMap<>();
        for (SignedRequest.Parameter parameter : authorized.request().query()) {
            if (operation.hasParameter(parameter.name())) {
                parameters.putIfAbsent(parameter.name(), new QueryParameter(parameter.name(), parameter.value()));
            }
        }
        return List.copyOf(parameters.values());
    }

    /**
     * Returns whether the configuration belongs to a differently named or larger bucket of the backend. The gateway
     * then returns S3's response for "not configured", which tools expect.
     */
    private boolean hides(BucketView bucket) {
        return !bucket.isIdentity() && REVEALS_NAMES.contains(operation);
    }

    private void requireSameNames(BucketView bucket) {
        boolean changesTheBucket =
                operation.level() == Level.BUCKET && !operation.method().equals("GET");
        if (changesTheBucket && !bucket.isIdentity()) {
            throw new S3Exception(
                    S3ErrorCode.NOT_IMPLEMENTED,
                    "This bucket has another name at its backend, or is a part of another: what is configured there is"
                            + " not changed through it.");
        }
    }

    private static S3Response response(ForwardResponse response) {
        return new S3Response(response.status(), response.headers(), new S3Response.Bytes(response.body()));
    }
}
