package io.millrace.gateway.http;

import io.millrace.auth.Right;
import io.millrace.gateway.http.RequestTarget.Level;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The operations that are served. Each row says how a request asks for it, which right it needs, which parameters and fields it
 * understands. Everything else is NotImplemented.
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
            AmzFields.LIST),
    HEAD_BUCKET("HeadBucket", "HEAD", Level.BUCKET, Set.of(), null, Set.of(), AmzFields.DOCUMENT),
    CREATE_BUCKET("CreateBucket", "PUT", Level.BUCKET, Set.of(), Right.ADMIN, Set.of(), AmzFields.BUCKET),
    DELETE_BUCKET("DeleteBucket", "DELETE", Level.BUCKET, Set.of(), Right.ADMIN, Set.of(), AmzFields.DOCUMENT),
    GET_BUCKET_LOCATION(
            "GetBucketLocation", "GET", Level.BUCKET, Set.of("location"), null, Set.of(), AmzFields.DOCUMENT),
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
            AmzFields.LIST),
    LIST_OBJECTS(
            "ListObjects",
            "GET",
            Level.BUCKET,
            Set.of(),
            Right.LIST,
            Set.of("prefix", "delimiter", "max-keys", "encoding-type", "marker"),
            AmzFields.LIST),
    LIST_OBJECT_VERSIONS(
            "ListObjectVersions",
            "GET",
            Level.BUCKET,
            Set.of("versions"),
            Right.LIST,
            Set.of("prefix", "delimiter", "max-keys", "encoding-type", "key-marker", "version-id-marker"),
            AmzFields.LIST),
    LIST_MULTIPART_UPLOADS(
            "ListMultipartUploads",
            "GET",
            Level.BUCKET,
            Set.of("uploads"),
            Right.LIST,
            Set.of("prefix", "delimiter", "max-uploads", "encoding-type", "key-marker", "upload-id-marker"),
            AmzFields.LIST),
    DELETE_OBJECTS("DeleteObjects", "POST", Level.BUCKET, Set.of("delete"), null, Set.of(), AmzFields.DELETE),
    PREFLIGHT_BUCKET("PreflightBucket", "OPTIONS", Level.BUCKET, Set.of(), null, Set.of("*"), AmzFields.READ),
    PREFLIGHT_OBJECT("PreflightObject", "OPTIONS", Level.OBJECT, Set.of(), null, Set.of("*"), AmzFields.READ),
    POST_OBJECT("PostObject", "POST", Level.BUCKET, Set.of(), null, Set.of(), AmzFields.DOCUMENT),
    HEAD_OBJECT("HeadObject", "HEAD", Level.OBJECT, Set.of(), Right.READ, ReadParameters.ALL, AmzFields.READ),
    GET_OBJECT("GetObject", "GET", Level.OBJECT, Set.of(), Right.READ, ReadParameters.ALL, AmzFields.READ),
    PUT_OBJECT("PutObject", "PUT", Level.OBJECT, Set.of(), Right.WRITE, Set.of(), AmzFields.PUT),
    COPY_OBJECT("CopyObject", "PUT", Level.OBJECT, Set.of("x-amz-copy-source"), Right.WRITE, Set.of(), AmzFields.COPY),
    DELETE_OBJECT(
            "DeleteObject", "DELETE", Level.OBJECT, Set.of(), Right.DELETE, Set.of("versionId"), AmzFields.DELETE_ONE),
    CREATE_MULTIPART_UPLOAD(
            "CreateMultipartUpload",
            "POST",
            Level.OBJECT,
            Set.of("uploads"),
            Right.WRITE,
            Set.of(),
            AmzFields.CREATE_UPLOAD),
    UPLOAD_PART(
            "UploadPart", "PUT", Level.OBJECT, Set.of("uploadId", "partNumber"), Right.WRITE, Set.of(), AmzFields.PART),
    UPLOAD_PART_COPY(
            "UploadPartCopy",
            "PUT",
            Level.OBJECT,
            Set.of("uploadId", "partNumber", "x-amz-copy-source"),
            Right.WRITE,
            Set.of(),
            AmzFields.COPY_PART),
    LIST_PARTS(
            "ListParts",
            "GET",
            Level.OBJECT,
            Set.of("uploadId"),
            Right.WRITE,
            Set.of("max-parts", "part-number-marker", "encoding-type"),
            AmzFields.LIST),
    COMPLETE_MULTIPART_UPLOAD(
            "CompleteMultipartUpload",
            "POST",
            Level.OBJECT,
            Set.of("uploadId"),
            Right.WRITE,
            Set.of(),
            AmzFields.COMPLETE),
    ABORT_MULTIPART_UPLOAD(
            "AbortMultipartUpload", "DELETE", Level.OBJECT, Set.of("uploadId"), Right.WRITE, Set.of(), AmzFields.ABORT),
    GET_BUCKET_ACCELERATE_CONFIGURATION(
            "GetBucketAccelerateConfiguration",
            "GET",
            Level.BUCKET,
            Set.of("accelerate"),
            Right.LIST,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_BUCKET_ACCELERATE_CONFIGURATION(
            "PutBucketAccelerateConfiguration",
            "PUT",
            Level.BUCKET,
            Set.of("accelerate"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_BUCKET_ACL(
            "GetBucketAcl",
            "GET",
            Level.BUCKET,
            Set.of("acl"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_BUCKET_ACL(
            "PutBucketAcl",
            "PUT",
            Level.BUCKET,
            Set.of("acl"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_BUCKET_CORS(
            "GetBucketCors",
            "GET",
            Level.BUCKET,
            Set.of("cors"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_BUCKET_CORS(
            "PutBucketCors",
            "PUT",
            Level.BUCKET,
            Set.of("cors"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    DELETE_BUCKET_CORS(
            "DeleteBucketCors",
            "DELETE",
            Level.BUCKET,
            Set.of("cors"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_BUCKET_ENCRYPTION(
            "GetBucketEncryption",
            "GET",
            Level.BUCKET,
            Set.of("encryption"),
            Right.LIST,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_BUCKET_ENCRYPTION(
            "PutBucketEncryption",
            "PUT",
            Level.BUCKET,
            Set.of("encryption"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    DELETE_BUCKET_ENCRYPTION(
            "DeleteBucketEncryption",
            "DELETE",
            Level.BUCKET,
            Set.of("encryption"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_BUCKET_LIFECYCLE_CONFIGURATION(
            "GetBucketLifecycleConfiguration",
            "GET",
            Level.BUCKET,
            Set.of("lifecycle"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_BUCKET_LIFECYCLE_CONFIGURATION(
            "PutBucketLifecycleConfiguration",
            "PUT",
            Level.BUCKET,
            Set.of("lifecycle"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    DELETE_BUCKET_LIFECYCLE(
            "DeleteBucketLifecycle",
            "DELETE",
            Level.BUCKET,
            Set.of("lifecycle"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_BUCKET_LOGGING(
            "GetBucketLogging",
            "GET",
            Level.BUCKET,
            Set.of("logging"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_BUCKET_LOGGING(
            "PutBucketLogging",
            "PUT",
            Level.BUCKET,
            Set.of("logging"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_BUCKET_NOTIFICATION_CONFIGURATION(
            "GetBucketNotificationConfiguration",
            "GET",
            Level.BUCKET,
            Set.of("notification"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_BUCKET_NOTIFICATION_CONFIGURATION(
            "PutBucketNotificationConfiguration",
            "PUT",
            Level.BUCKET,
            Set.of("notification"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_BUCKET_OWNERSHIP_CONTROLS(
            "GetBucketOwnershipControls",
            "GET",
            Level.BUCKET,
            Set.of("ownershipControls"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_BUCKET_OWNERSHIP_CONTROLS(
            "PutBucketOwnershipControls",
            "PUT",
            Level.BUCKET,
            Set.of("ownershipControls"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    DELETE_BUCKET_OWNERSHIP_CONTROLS(
            "DeleteBucketOwnershipControls",
            "DELETE",
            Level.BUCKET,
            Set.of("ownershipControls"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_BUCKET_POLICY(
            "GetBucketPolicy",
            "GET",
            Level.BUCKET,
            Set.of("policy"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_BUCKET_POLICY(
            "PutBucketPolicy",
            "PUT",
            Level.BUCKET,
            Set.of("policy"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    DELETE_BUCKET_POLICY(
            "DeleteBucketPolicy",
            "DELETE",
            Level.BUCKET,
            Set.of("policy"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_BUCKET_POLICY_STATUS(
            "GetBucketPolicyStatus",
            "GET",
            Level.BUCKET,
            Set.of("policyStatus"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_BUCKET_REPLICATION(
            "GetBucketReplication",
            "GET",
            Level.BUCKET,
            Set.of("replication"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_BUCKET_REPLICATION(
            "PutBucketReplication",
            "PUT",
            Level.BUCKET,
            Set.of("replication"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    DELETE_BUCKET_REPLICATION(
            "DeleteBucketReplication",
            "DELETE",
            Level.BUCKET,
            Set.of("replication"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_BUCKET_REQUEST_PAYMENT(
            "GetBucketRequestPayment",
            "GET",
            Level.BUCKET,
            Set.of("requestPayment"),
            Right.LIST,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_BUCKET_REQUEST_PAYMENT(
            "PutBucketRequestPayment",
            "PUT",
            Level.BUCKET,
            Set.of("requestPayment"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_BUCKET_TAGGING(
            "GetBucketTagging",
            "GET",
            Level.BUCKET,
            Set.of("tagging"),
            Right.LIST,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_BUCKET_TAGGING(
            "PutBucketTagging",
            "PUT",
            Level.BUCKET,
            Set.of("tagging"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    DELETE_BUCKET_TAGGING(
            "DeleteBucketTagging",
            "DELETE",
            Level.BUCKET,
            Set.of("tagging"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_BUCKET_VERSIONING(
            "GetBucketVersioning",
            "GET",
            Level.BUCKET,
            Set.of("versioning"),
            Right.LIST,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_BUCKET_VERSIONING(
            "PutBucketVersioning",
            "PUT",
            Level.BUCKET,
            Set.of("versioning"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_BUCKET_WEBSITE(
            "GetBucketWebsite",
            "GET",
            Level.BUCKET,
            Set.of("website"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_BUCKET_WEBSITE(
            "PutBucketWebsite",
            "PUT",
            Level.BUCKET,
            Set.of("website"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    DELETE_BUCKET_WEBSITE(
            "DeleteBucketWebsite",
            "DELETE",
            Level.BUCKET,
            Set.of("website"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_OBJECT_LOCK_CONFIGURATION(
            "GetObjectLockConfiguration",
            "GET",
            Level.BUCKET,
            Set.of("object-lock"),
            Right.LIST,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_OBJECT_LOCK_CONFIGURATION(
            "PutObjectLockConfiguration",
            "PUT",
            Level.BUCKET,
            Set.of("object-lock"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_PUBLIC_ACCESS_BLOCK(
            "GetPublicAccessBlock",
            "GET",
            Level.BUCKET,
            Set.of("publicAccessBlock"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_PUBLIC_ACCESS_BLOCK(
            "PutPublicAccessBlock",
            "PUT",
            Level.BUCKET,
            Set.of("publicAccessBlock"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    DELETE_PUBLIC_ACCESS_BLOCK(
            "DeletePublicAccessBlock",
            "DELETE",
            Level.BUCKET,
            Set.of("publicAccessBlock"),
            Right.ADMIN,
            Set.of(),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_OBJECT_ACL(
            "GetObjectAcl",
            "GET",
            Level.OBJECT,
            Set.of("acl"),
            Right.READ,
            Set.of("versionId"),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_OBJECT_ACL(
            "PutObjectAcl",
            "PUT",
            Level.OBJECT,
            Set.of("acl"),
            Right.ADMIN,
            Set.of("versionId"),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_OBJECT_ATTRIBUTES(
            "GetObjectAttributes",
            "GET",
            Level.OBJECT,
            Set.of("attributes"),
            Right.READ,
            Set.of("versionId"),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_OBJECT_TAGGING(
            "GetObjectTagging",
            "GET",
            Level.OBJECT,
            Set.of("tagging"),
            Right.READ,
            Set.of("versionId"),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_OBJECT_TAGGING(
            "PutObjectTagging",
            "PUT",
            Level.OBJECT,
            Set.of("tagging"),
            Right.WRITE,
            Set.of("versionId"),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    DELETE_OBJECT_TAGGING(
            "DeleteObjectTagging",
            "DELETE",
            Level.OBJECT,
            Set.of("tagging"),
            Right.WRITE,
            Set.of("versionId"),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_OBJECT_RETENTION(
            "GetObjectRetention",
            "GET",
            Level.OBJECT,
            Set.of("retention"),
            Right.READ,
            Set.of("versionId"),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_OBJECT_RETENTION(
            "PutObjectRetention",
            "PUT",
            Level.OBJECT,
            Set.of("retention"),
            Right.WRITE,
            Set.of("versionId"),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    GET_OBJECT_LEGAL_HOLD(
            "GetObjectLegalHold",
            "GET",
            Level.OBJECT,
            Set.of("legal-hold"),
            Right.READ,
            Set.of("versionId"),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    PUT_OBJECT_LEGAL_HOLD(
            "PutObjectLegalHold",
            "PUT",
            Level.OBJECT,
            Set.of("legal-hold"),
            Right.WRITE,
            Set.of("versionId"),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION),
    RESTORE_OBJECT(
            "RestoreObject",
            "POST",
            Level.OBJECT,
            Set.of("restore"),
            Right.WRITE,
            Set.of("versionId"),
            AmzFields.SUB_RESOURCE,
            Role.CONFIGURATION);

    /** What an operation is about. */
    public enum Role {
        /** The bytes and names of objects: each has a handler of its own. */
        DATA,
        /** What a backend keeps beside them: passed on to those that speak S3. */
        CONFIGURATION
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

    /** S3's name for it, also in metrics and logs. */
    public String wireName() {
        return wireName;
    }

    public String method() {
        return method;
    }

    public Level level() {
        return level;
    }

    /** The parameters and {@code x-amz-*} fields that all must be there; none for what the bare method and level mean. */
    public Set<String> selectors() {
        return selectors;
    }

    /**
     * The right it needs on its bucket or key. None: about a bucket, whoever has any right there may ask; about the service,
     * every signed identity, and sees what is its own; the handler looks at the rest.
     */
    public Optional<Right> right() {
        return right;
    }

    public Role role() {
        return role;
    }

    /** Whether it understands a parameter of this name, as it came; a browser that asks ahead names those of what comes. */
    public boolean hasParameter(String name) {
        return parameters.contains(name) || selectors.contains(name) || parameters.contains("*");
    }

    /** Whether it understands an {@code x-amz-*} field of this name, in lower case. */
    boolean understandsField(String name) {
        return selectors.contains(name) || AmzFields.understands(fields, name);
    }

    /** Constants that enum constants may use. */
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
