package io.millrace.gateway.s3.routing;

import io.millrace.auth.policy.Right;
import io.millrace.gateway.s3.protocol.RequestTarget.Level;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An S3 operation that the gateway serves, with the method, level and parameters that select it. Each constant defines the method, level and parameters that select it, the right it needs,
 * and the parameters and fields it understands. Everything else is NotImplemented.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html">
 *     S3's operations</a>
 */
public enum S3Operation {
    LIST_BUCKETS(
            "ListBuckets",
            "GET",
            Level.SERVICE,
            Set.of(),
            null,
            Set.of("prefix", "max-buckets", "continuation-token", "bucket-region"),
            SupportedAmzHeaders.LIST_BUCKETS),
    HEAD_BUCKET("HeadBucket", "HEAD", Level.BUCKET, Set.of(), null, Set.of(), SupportedAmzHeaders.OWNED_BUCKET),
    CREATE_BUCKET("CreateBucket", "PUT", Level.BUCKET, Set.of(), Right.ADMIN, Set.of(), SupportedAmzHeaders.BUCKET),
    DELETE_BUCKET(
            "DeleteBucket", "DELETE", Level.BUCKET, Set.of(), Right.ADMIN, Set.of(), SupportedAmzHeaders.OWNED_BUCKET),
    GET_BUCKET_LOCATION(
            "GetBucketLocation",
            "GET",
            Level.BUCKET,
            Set.of("location"),
            null,
            Set.of(),
            SupportedAmzHeaders.OWNED_BUCKET),
    LIST_OBJECTS_V2(
            "ListObjectsV2",
            "GET",
            Level.BUCKET,
            Set.of("list-type"),
            Right.LIST,
            Set.of(
                    "prefix",
                    "delimiter",
                    "max-keys",
                    "encoding-type",
                    "start-after",
                    "continuation-token",
                    "fetch-owner"),
            SupportedAmzHeaders.LIST),
    LIST_OBJECTS(
            "ListObjects",
            "GET",
            Level.BUCKET,
            Set.of(),
            Right.LIST,
            Set.of("prefix", "delimiter", "max-keys", "encoding-type", "marker"),
            SupportedAmzHeaders.LIST),
    LIST_OBJECT_VERSIONS(
            "ListObjectVersions",
            "GET",
            Level.BUCKET,
            Set.of("versions"),
            Right.LIST,
            Set.of("prefix", "delimiter", "max-keys", "encoding-type", "key-marker", "version-id-marker"),
            SupportedAmzHeaders.LIST),
    LIST_MULTIPART_UPLOADS(
            "ListMultipartUploads",
            "GET",
            Level.BUCKET,
            Set.of("uploads"),
            Right.LIST,
            Set.of("prefix", "delimiter", "max-uploads", "encoding-type", "key-marker", "upload-id-marker"),
            SupportedAmzHeaders.LIST),
    DELETE_OBJECTS("DeleteObjects", "POST", Level.BUCKET, Set.of("delete"), null, Set.of(), SupportedAmzHeaders.DELETE),
    PREFLIGHT_BUCKET("PreflightBucket", "OPTIONS", Level.BUCKET, Set.of(), null, Set.of("*"), SupportedAmzHeaders.READ),
    PREFLIGHT_OBJECT("PreflightObject", "OPTIONS", Level.OBJECT, Set.of(), null, Set.of("*"), SupportedAmzHeaders.READ),
    POST_OBJECT("PostObject", "POST", Level.BUCKET, Set.of(), null, Set.of(), SupportedAmzHeaders.DOCUMENT),
    HEAD_OBJECT("HeadObject", "HEAD", Level.OBJECT, Set.of(), Right.READ, ReadParameters.ALL, SupportedAmzHeaders.READ),
    GET_OBJECT("GetObject", "GET", Level.OBJECT, Set.of(), Right.READ, ReadParameters.ALL, SupportedAmzHeaders.READ),
    PUT_OBJECT("PutObject", "PUT", Level.OBJECT, Set.of(), Right.WRITE, Set.of(), SupportedAmzHeaders.PUT),
    COPY_OBJECT(
            "CopyObject",
            "PUT",
            Level.OBJECT,
            Set.of("x-amz-copy-source"),
            Right.WRITE,
            Set.of(),
            SupportedAmzHeaders.COPY),
    DELETE_OBJECT(
            "DeleteObject",
            "DELETE",
            Level.OBJECT,
            Set.of(),
            Right.DELETE,
            Set.of("versionId"),
            SupportedAmzHeaders.DELETE_ONE),
    CREATE_MULTIPART_UPLOAD(
            "CreateMultipartUpload",
            "POST",
            Level.OBJECT,
            Set.of("uploads"),
            Right.WRITE,
            Set.of(),
            SupportedAmzHeaders.CREATE_UPLOAD),
    UPLOAD_PART(
            "UploadPart",
            "PUT",
            Level.OBJECT,
            Set.of("uploadId", "partNumber"),
            Right.WRITE,
            Set.of(),
            SupportedAmzHeaders.PART),
    UPLOAD_PART_COPY(
            "UploadPartCopy",
            "PUT",
            Level.OBJECT,
            Set.of("uploadId", "partNumber", "x-amz-copy-source"),
            Right.WRITE,
            Set.of(),
            SupportedAmzHeaders.COPY_PART),
    LIST_PARTS(
            "ListParts",
            "GET",
            Level.OBJECT,
            Set.of("uploadId"),
            Right.WRITE,
            Set.of("max-parts", "part-number-marker", "encoding-type"),
            SupportedAmzHeaders.LIST),
    COMPLETE_MULTIPART_UPLOAD(
            "CompleteMultipartUpload",
            "POST",
            Level.OBJECT,
            Set.of("uploadId"),
            Right.WRITE,
            Set.of(),
            SupportedAmzHeaders.COMPLETE),
    ABORT_MULTIPART_UPLOAD(
            "AbortMultipartUpload",
            "DELETE",
            Level.OBJECT,
            Set.of("uploadId"),
            Right.WRITE,
            Set.of(),
            SupportedAmzHeaders.ABORT),
    GET_BUCKET_ACCELERATE_CONFIGURATION(
            "GetBucketAccelerateConfiguration", "GET", Level.BUCKET, "accelerate", Right.LIST),
    PUT_BUCKET_ACCELERATE_CONFIGURATION(
            "PutBucketAccelerateConfiguration", "PUT", Level.BUCKET, "accelerate", Right.ADMIN),
    GET_BUCKET_ACL("GetBucketAcl", "GET", Level.BUCKET, "acl", Right.ADMIN),
    PUT_BUCKET_ACL("PutBucketAcl", "PUT", Level.BUCKET, "acl", Right.ADMIN),
    GET_BUCKET_CORS("GetBucketCors", "GET", Level.BUCKET, "cors", Right.ADMIN),
    PUT_BUCKET_CORS("PutBucketCors", "PUT", Level.BUCKET, "cors", Right.ADMIN),
    DELETE_BUCKET_CORS("DeleteBucketCors", "DELETE", Level.BUCKET, "cors", Right.ADMIN),
    GET_BUCKET_ENCRYPTION("GetBucketEncryption", "GET", Level.BUCKET, "encryption", Right.LIST),
    PUT_BUCKET_ENCRYPTION("PutBucketEncryption", "PUT", Level.BUCKET, "encryption", Right.ADMIN),
    DELETE_BUCKET_ENCRYPTION("DeleteBucketEncryption", "DELETE", Level.BUCKET, "encryption", Right.ADMIN),
    GET_BUCKET_LIFECYCLE_CONFIGURATION(
            "GetBucketLifecycleConfiguration", "GET", Level.BUCKET, "lifecycle", Right.ADMIN),
    PUT_BUCKET_LIFECYCLE_CONFIGURATION(
            "PutBucketLifecycleConfiguration", "PUT", Level.BUCKET, "lifecycle", Right.ADMIN),
    DELETE_BUCKET_LIFECYCLE("DeleteBucketLifecycle", "DELETE", Level.BUCKET, "lifecycle", Right.ADMIN),
    GET_BUCKET_LOGGING("GetBucketLogging", "GET", Level.BUCKET, "logging", Right.ADMIN),
    PUT_BUCKET_LOGGING("PutBucketLogging", "PUT", Level.BUCKET, "logging", Right.ADMIN),
    GET_BUCKET_NOTIFICATION_CONFIGURATION(
            "GetBucketNotificationConfiguration", "GET", Level.BUCKET, "notification", Right.ADMIN),
    PUT_BUCKET_NOTIFICATION_CONFIGURATION(
            "PutBucketNotificationConfiguration", "PUT", Level.BUCKET, "notification", Right.ADMIN),
    GET_BUCKET_OWNERSHIP_CONTROLS("GetBucketOwnershipControls", "GET", Level.BUCKET, "ownershipControls", Right.ADMIN),
    PUT_BUCKET_OWNERSHIP_CONTROLS("PutBucketOwnershipControls", "PUT", Level.BUCKET, "ownershipControls", Right.ADMIN),
    DELETE_BUCKET_OWNERSHIP_CONTROLS(
            "DeleteBucketOwnershipControls", "DELETE", Level.BUCKET, "ownershipControls", Right.ADMIN),
    GET_BUCKET_POLICY("GetBucketPolicy", "GET", Level.BUCKET, "policy", Right.ADMIN),
    PUT_BUCKET_POLICY("PutBucketPolicy", "PUT", Level.BUCKET, "policy", Right.ADMIN),
    DELETE_BUCKET_POLICY("DeleteBucketPolicy", "DELETE", Level.BUCKET, "policy", Right.ADMIN),
    GET_BUCKET_POLICY_STATUS("GetBucketPolicyStatus", "GET", Level.BUCKET, "policyStatus", Right.ADMIN),
    GET_BUCKET_REPLICATION("GetBucketReplication", "GET", Level.BUCKET, "replication", Right.ADMIN),
    PUT_BUCKET_REPLICATION("PutBucketReplication", "PUT", Level.BUCKET, "replication", Right.ADMIN),
    DELETE_BUCKET_REPLICATION("DeleteBucketReplication", "DELETE", Level.BUCKET, "replication", Right.ADMIN),
    GET_BUCKET_REQUEST_PAYMENT("GetBucketRequestPayment", "GET", Level.BUCKET, "requestPayment", Right.LIST),
    PUT_BUCKET_REQUEST_PAYMENT("PutBucketRequestPayment", "PUT", Level.BUCKET, "requestPayment", Right.ADMIN),
    GET_BUCKET_TAGGING("GetBucketTagging", "GET", Level.BUCKET, "tagging", Right.LIST),
    PUT_BUCKET_TAGGING("PutBucketTagging", "PUT", Level.BUCKET, "tagging", Right.ADMIN),
    DELETE_BUCKET_TAGGING("DeleteBucketTagging", "DELETE", Level.BUCKET, "tagging", Right.ADMIN),
    GET_BUCKET_VERSIONING("GetBucketVersioning", "GET", Level.BUCKET, "versioning", Right.LIST),
    PUT_BUCKET_VERSIONING("PutBucketVersioning", "PUT", Level.BUCKET, "versioning", Right.ADMIN),
    GET_BUCKET_WEBSITE("GetBucketWebsite", "GET", Level.BUCKET, "website", Right.ADMIN),
    PUT_BUCKET_WEBSITE("PutBucketWebsite", "PUT", Level.BUCKET, "website", Right.ADMIN),
    DELETE_BUCKET_WEBSITE("DeleteBucketWebsite", "DELETE", Level.BUCKET, "website", Right.ADMIN),
    GET_OBJECT_LOCK_CONFIGURATION("GetObjectLockConfiguration", "GET", Level.BUCKET, "object-lock", Right.LIST),
    PUT_OBJECT_LOCK_CONFIGURATION("PutObjectLockConfiguration", "PUT", Level.BUCKET, "object-lock", Right.ADMIN),
    GET_PUBLIC_ACCESS_BLOCK("GetPublicAccessBlock", "GET", Level.BUCKET, "publicAccessBlock", Right.ADMIN),
    PUT_PUBLIC_ACCESS_BLOCK("PutPublicAccessBlock", "PUT", Level.BUCKET, "publicAccessBlock", Right.ADMIN),
    DELETE_PUBLIC_ACCESS_BLOCK("DeletePublicAccessBlock", "DELETE", Level.BUCKET, "publicAccessBlock", Right.ADMIN),
    GET_BUCKET_ANALYTICS_CONFIGURATION(
            "GetBucketAnalyticsConfiguration", "GET", Set.of("analytics", "id"), Right.ADMIN),
    PUT_BUCKET_ANALYTICS_CONFIGURATION(
            "PutBucketAnalyticsConfiguration", "PUT", Set.of("analytics", "id"), Right.ADMIN),
    DELETE_BUCKET_ANALYTICS_CONFIGURATION(
            "DeleteBucketAnalyticsConfiguration", "DELETE", Set.of("analytics", "id"), Right.ADMIN),
    LIST_BUCKET_ANALYTICS_CONFIGURATIONS(
            "ListBucketAnalyticsConfigurations", "GET", Set.of("analytics"), Right.ADMIN, "continuation-token"),
    GET_BUCKET_INTELLIGENT_TIERING_CONFIGURATION(
            "GetBucketIntelligentTieringConfiguration", "GET", Set.of("intelligent-tiering", "id"), Right.ADMIN),
    PUT_BUCKET_INTELLIGENT_TIERING_CONFIGURATION(
            "PutBucketIntelligentTieringConfiguration", "PUT", Set.of("intelligent-tiering", "id"), Right.ADMIN),
    DELETE_BUCKET_INTELLIGENT_TIERING_CONFIGURATION(
            "DeleteBucketIntelligentTieringConfiguration", "DELETE", Set.of("intelligent-tiering", "id"), Right.ADMIN),
    LIST_BUCKET_INTELLIGENT_TIERING_CONFIGURATIONS(
            "ListBucketIntelligentTieringConfigurations",
            "GET",
            Set.of("intelligent-tiering"),
            Right.ADMIN,
            "continuation-token"),
    GET_BUCKET_INVENTORY_CONFIGURATION(
            "GetBucketInventoryConfiguration", "GET", Set.of("inventory", "id"), Right.ADMIN),
    PUT_BUCKET_INVENTORY_CONFIGURATION(
            "PutBucketInventoryConfiguration", "PUT", Set.of("inventory", "id"), Right.ADMIN),
    DELETE_BUCKET_INVENTORY_CONFIGURATION(
            "DeleteBucketInventoryConfiguration", "DELETE", Set.of("inventory", "id"), Right.ADMIN),
    LIST_BUCKET_INVENTORY_CONFIGURATIONS(
            "ListBucketInventoryConfigurations", "GET", Set.of("inventory"), Right.ADMIN, "continuation-token"),
    GET_BUCKET_METRICS_CONFIGURATION("GetBucketMetricsConfiguration", "GET", Set.of("metrics", "id"), Right.ADMIN),
    PUT_BUCKET_METRICS_CONFIGURATION("PutBucketMetricsConfiguration", "PUT", Set.of("metrics", "id"), Right.ADMIN),
    DELETE_BUCKET_METRICS_CONFIGURATION(
            "DeleteBucketMetricsConfiguration", "DELETE", Set.of("metrics", "id"), Right.ADMIN),
    LIST_BUCKET_METRICS_CONFIGURATIONS(
            "ListBucketMetricsConfigurations", "GET", Set.of("metrics"), Right.ADMIN, "continuation-token"),
    GET_OBJECT_ACL("GetObjectAcl", "GET", Level.OBJECT, "acl", Right.READ, "versionId"),
    PUT_OBJECT_ACL("PutObjectAcl", "PUT", Level.OBJECT, "acl", Right.WRITE, "versionId"),
    GET_OBJECT_ATTRIBUTES("GetObjectAttributes", "GET", Level.OBJECT, "attributes", Right.READ, "versionId"),
    GET_OBJECT_TAGGING("GetObjectTagging", "GET", Level.OBJECT, "tagging", Right.READ, "versionId"),
    PUT_OBJECT_TAGGING("PutObjectTagging", "PUT", Level.OBJECT, "tagging", Right.WRITE, "versionId"),
    DELETE_OBJECT_TAGGING("DeleteObjectTagging", "DELETE", Level.OBJECT, "tagging", Right.WRITE, "versionId"),
    GET_OBJECT_RETENTION("GetObjectRetention", "GET", Level.OBJECT, "retention", Right.READ, "versionId"),
    PUT_OBJECT_RETENTION("PutObjectRetention", "PUT", Level.OBJECT, "retention", Right.ADMIN, "versionId"),
    GET_OBJECT_LEGAL_HOLD("GetObjectLegalHold", "GET", Level.OBJECT, "legal-hold", Right.READ, "versionId"),
    PUT_OBJECT_LEGAL_HOLD("PutObjectLegalHold", "PUT", Level.OBJECT, "legal-hold", Right.ADMIN, "versionId"),
    RESTORE_OBJECT("RestoreObject", "POST", Level.OBJECT, "restore", Right.WRITE, "versionId"),
    /** A request about a bucket or an object with unknown fields. The gate checks the right that its method needs. */
    UNKNOWN("Unknown", "*", Level.OBJECT, Set.of(), null, Set.of(), Set.of(), Role.UNKNOWN);

    /** The kind of an operation, which determines its handler. */
    public enum Role {
        /** Operations on objects, their names and bytes; each has its own handler. */
        DATA,
        /** Operations on configuration, forwarded to S3 backends. */
        CONFIGURATION,
        /** Operations that only an S3 backend may know. */
        UNKNOWN
    }

    private final String wireName;
    private final String method;
    private final Level level;

    @SuppressWarnings("ImmutableEnumChecker") // always of Set.of, which never changes
    private final Set<String> selectors;

    private final Optional<Right> right;

    @SuppressWarnings("ImmutableEnumChecker") // as above
    private final Set<String> parameters;

    @SuppressWarnings("ImmutableEnumChecker") // as above
    private final Set<String> fields;

    private final Role role;

    S3Operation(
            String wireName,
            String method,
            Level level,
            Set<String> selectors,
            @Nullable Right right,
            Set<String> parameters,
            Set<String> fields) {
        this(wireName, method, level, selectors, right, parameters, fields, Role.DATA);
    }

    /** Creates an operation that is forwarded: one parameter selects it, and the backend checks its fields. */
    S3Operation(
            String wireName, String method, Level level, String selector, @Nullable Right right, String... parameters) {
        this(
                wireName,
                method,
                level,
                Set.of(selector),
                right,
                Set.of(parameters),
                SupportedAmzHeaders.SUB_RESOURCE,
                Role.CONFIGURATION);
    }

    /** Creates an operation on configurations of which a bucket has several, each with an id. */
    S3Operation(String wireName, String method, Set<String> selectors, Right right, String... parameters) {
        this(
                wireName,
                method,
                Level.BUCKET,
                selectors,
                right,
                Set.of(parameters),
                SupportedAmzHeaders.SUB_RESOURCE,
                Role.CONFIGURATION);
    }

    S3Operation(
            String wireName,
            String method,
            Level level,
            Set<String> selectors,
            @Nullable Right right,
            Set<String> parameters,
            Set<String> fields,
            Role role) {
        this.wireName = wireName;
        this.method = method;
        this.level = level;
        this.selectors = selectors;
        this.right = Optional.ofNullable(right);
        this.parameters = parameters;
        this.fields = fields;
        this.role = role;
    }

    /** Returns S3's name, also used in meters and logs. */
    public String wireName() {
        return wireName;
    }

    public String method() {
        return method;
    }

    public Level level() {
        return level;
    }

    /**
     * Returns the parameters and {@code x-amz-*} fields that must all be present; empty if the method and level alone
     * select the operation.
     */
    public Set<String> selectors() {
        return selectors;
    }

    /**
     * Returns the right that the operation needs on its bucket or key. If empty, an operation on a bucket needs any
     * right there. One on the service needs a signed identity, and its handler filters the result.
     */
    public Optional<Right> right() {
        return right;
    }

    public Role role() {
        return role;
    }

    /** Returns all names that the operation understands. */
    Stream<String> names() {
        return Stream.of(selectors, parameters, fields).flatMap(Set::stream);
    }

    /**
     * Returns whether the operation understands a parameter, in the case as received. Preflight requests may have all
     * parameters of the request that follows.
     */
    public boolean hasParameter(String name) {
        return parameters.contains(name) || selectors.contains(name) || parameters.contains("*");
    }

    /** Returns whether the operation understands an {@code x-amz-*} field, in lower case. */
    public boolean understandsField(String name) {
        return selectors.contains(name) || SupportedAmzHeaders.understands(fields, name);
    }

    /** Holds constants, because enum constants cannot use the enum's own. */
    private static final class ReadParameters {
        static final Set<String> ALL = Set.of(
                "versionId",
                "partNumber",
                "response-content-type",
                "response-content-language",
                "response-expires",
                "response-cache-control",
                "response-content-disposition",
                "response-content-encoding");
    }
}
