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
import io.millrace.gateway.objects.bucket.BucketSettings.AccessRules;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.bucket.ForwardedHeaders;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.RequestTarget.Level;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.routing.S3Operation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * One operation on what a backend keeps beside the bytes of objects, passed on as it is. A document that names keys or buckets
 * is passed on only where they have the same names there. An object's entry in the cache is forgotten before anything about it is
 * changed.
 */
public final class ConfigurationForwarder implements S3Handler {
    /** S3's own limits are 20 KiB for policies and 1,000 rules for the largest of the others. */
    private static final int MAX_DOCUMENT = 1 << 20;

    /** Their documents name keys or buckets, of others than the caller's too where the bucket is a part of another. */
    private static final Set<S3Operation> TELLS_NAMES = EnumSet.of(
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

    private static final S3Response EMPTY = S3Response.empty(200, HeaderList.EMPTY);

    private final S3Operation operation;
    private final BucketRegistry buckets;
    private final FencedWrites writes;

    private ConfigurationForwarder(S3Operation operation, BucketRegistry buckets, FencedWrites writes) {
        this.operation = operation;
        this.buckets = buckets;
        this.writes = writes;
    }

    /** Handlers for all such operations. */
    public static List<S3Handler> all(BucketRegistry buckets, FencedWrites writes) {
        List<S3Handler> handlers = new ArrayList<>();
        for (S3Operation operation : S3Operation.values()) {
            if (operation.role() == S3Operation.Role.CONFIGURATION) {
                handlers.add(new ConfigurationForwarder(operation, buckets, writes));
            }
        }
        return handlers;
    }

    @Override
    public S3Operation operation() {
        return operation;
    }

    @Override
    public Mono<S3Response> handle(AuthorizedRequest admission) {
        BucketView bucket = buckets.find(admission.bucket());
        boolean changesNothing = operation == S3Operation.PUT_OBJECT_ACL && !storesAcls(admission, bucket);
        requireForwarded(admission, bucket, changesNothing || hides(bucket));
        if (changesNothing) {
            return harmlessAcl(admission, bucket);
        }
        if (!forwards(bucket) || hides(bucket)) {
            return whereThereIsNone(admission, bucket);
        }
        requireSameNames(bucket);
        HeaderList fields = ForwardedHeaders.of(admission, bucket);
        return admission.withDocument(MAX_DOCUMENT, document -> {
            DestinationBucketCheck.check(operation, document, other -> isTheirs(admission, bucket, other));
            return AccessRuleGuard.check(operation, bucket, document, rightsNow(admission, bucket))
                    .then(Mono.defer(() -> send(admission, bucket, fields, document)))
                    .map(ConfigurationForwarder::answer);
        });
    }

    /** Whether the caller may have the backend write in this bucket: it is one of ours, has that name there, and is theirs. */
    private boolean isTheirs(AuthorizedRequest admission, BucketView bucket, BucketName named) {
        return admission.canConfigure(named)
                && buckets.findAny(named)
                        .filter(other ->
                                other.isIdentity() && other.backendName().equals(bucket.backendName()))
                        .isPresent();
    }

    /** What is answered here must not pass over a field that nobody knows. */
    private static void requireForwarded(AuthorizedRequest admission, BucketView bucket, boolean answeredHere) {
        if (admission.unknownFields().isEmpty()) {
            return;
        }
        UnknownFieldPolicy.require(admission, bucket);
        if (answeredHere) {
            throw admission.unknownFields().get(0).refused("the gateway answers this request by itself.");
        }
    }

    private static boolean forwards(BucketView bucket) {
        return bucket.backend().capabilities().contains(Capability.FORWARD);
    }

    private static boolean storesAcls(AuthorizedRequest admission, BucketView bucket) {
        return forwards(bucket) && bucket.accessRules() == AccessRules.FORWARD && admission.canAdminister();
    }

    /**
     * An ACL that grants nothing to others changes nothing where there are no rights of others, so it needs no backend that keeps ACLs.
     * s3cmd sends one after each copy.
     */
    private Mono<S3Response> harmlessAcl(AuthorizedRequest admission, BucketView bucket) {
        HeaderList fields = ForwardedHeaders.of(admission, bucket); // refuses canned ACLs and grants for others
        return admission.withDocument(MAX_DOCUMENT, document -> {
            if (document.length > 0) {
                return OwnerOnlyAcl.require(document, privateAcl(admission, bucket))
                        .thenReturn(EMPTY);
            }
            if (fields.first("x-amz-acl").isEmpty()) {
                throw new S3Exception(400, "MissingSecurityHeader", "Your request is missing a required header")
                        .with("MissingHeaderName", "x-amz-acl");
            }
            return privateAcl(admission, bucket).thenReturn(EMPTY);
        });
    }

    /** The list of rights that an object has now, if it has none of others. */
    private Mono<ByteBuffer> privateAcl(AuthorizedRequest admission, BucketView bucket) {
        Mono<ByteBuffer> own =
                Mono.defer(() -> exists(admission, bucket)).map(there -> UnconfiguredResponses.aclDocument());
        Mono<ByteBuffer> now = forwards(bucket)
                ? rightsNow(admission, bucket)
                        .map(OwnerOnlyAcl::requirePrivate)
                        .onErrorResume(ConfigurationForwarder::hasNoAcls, none -> own)
                : own;
        return now.onErrorMap(BackendException.class, admission::hideMissingKey);
    }

    private static boolean hasNoAcls(Throwable failure) {
        return failure instanceof BackendException backend && backend.kind() == FailureKind.UNSUPPORTED;
    }

    /** The backend's list of rights, of what this is about. */
    private Mono<ByteBuffer> rightsNow(AuthorizedRequest admission, BucketView bucket) {
        ForwardRequest question = new ForwardRequest(
                "GET",
                bucket.real(),
                admission.request().target().key().map(key -> bucket.at(key).key()),
                parameters(admission),
                HeaderList.EMPTY,
                ByteBuffer.allocate(0));
        return bucket.backend().forward(question).map(ForwardResponse::body);
    }

    /** Whether the bucket or object is there is the backend's to say, before what it has not. */
    private Mono<S3Response> whereThereIsNone(AuthorizedRequest admission, BucketView bucket) {
        if (operation == S3Operation.GET_OBJECT_ATTRIBUTES) {
            return GetObjectAttributes.of(admission, bucket);
        }
        return exists(admission, bucket).map(there -> UnconfiguredResponses.of(operation));
    }

    private static Mono<?> exists(AuthorizedRequest admission, BucketView bucket) {
        Optional<ObjectRef> object = admission.request().target().key().map(bucket::at);
        return object.isPresent()
                ? bucket.backend().head(versioned(admission, bucket, ReadRequest.of(object.get())))
                : bucket.backend().headBucket(bucket.real());
    }

    private static ReadRequest versioned(AuthorizedRequest admission, BucketView bucket, ReadRequest object) {
        return bucket.versionId(admission.request().target().parameter("versionId"))
                .map(object::withVersionId)
                .orElse(object);
    }

    private Mono<ForwardResponse> send(
            AuthorizedRequest admission, BucketView bucket, HeaderList fields, byte[] document) {
        Optional<ObjectRef> object = admission.request().target().key().map(bucket::at);
        ForwardRequest request = new ForwardRequest(
                operation.method(),
                bucket.real(),
                object.map(ObjectRef::key),
                parameters(admission),
                fields,
                ByteBuffer.wrap(document),
                admission.unknownFields().isEmpty());
        Mono<ForwardResponse> answer = bucket.backend().forward(request);
        Optional<String> version = admission.request().target().parameter("versionId");
        boolean changes = !operation.method().equals("GET");
        if (changes && object.isPresent()) {
            return writes.fenced(bucket, object.get(), version, answer);
        }
        return changes && !admission.unknownFields().isEmpty() ? writes.fencedBucket(bucket, answer) : answer;
    }

    /** Without those of the signature, which was the client's. Each once, as it was looked at: a backend could take the last. */
    private List<QueryParameter> parameters(AuthorizedRequest admission) {
        if (!admission.unknownFields().isEmpty()) {
            return UnknownFieldPolicy.parameters(admission.request());
        }
        Map<String, QueryParameter> parameters = new LinkedHashMap<>();
        for (SignedRequest.Parameter parameter : admission.request().query()) {
            if (operation.hasParameter(parameter.name())) {
                parameters.putIfAbsent(parameter.name(), new QueryParameter(parameter.name(), parameter.value()));
            }
        }
        return List.copyOf(parameters.values());
    }

    /** A part of a bucket, or one of another name, has no such configuration of its own: tools expect S3's "there is none". */
    private boolean hides(BucketView bucket) {
        return !bucket.isIdentity() && TELLS_NAMES.contains(operation);
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

    private static S3Response answer(ForwardResponse answer) {
        return new S3Response(answer.status(), answer.headers(), new S3Response.Bytes(answer.body()));
    }
}
