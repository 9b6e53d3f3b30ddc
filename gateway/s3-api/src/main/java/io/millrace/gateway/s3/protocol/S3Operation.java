package io.millrace.gateway.s3.protocol;

import io.millrace.auth.policy.PolicyAction;
import io.millrace.auth.policy.Right;
import io.millrace.gateway.s3.protocol.RequestTarget.Level;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An S3 operation that the gateway serves, with the method, level and parameters that select it. Each constant defines
 * the method, level and parameters that select it, the action of policies it needs, and the parameters and fields it
 * understands; its own name is S3's, but that of GetBatch. Everything else is NotImplemented.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html">
 *     S3's operations</a>
 */
public enum S3Operation implements RequestOperation {
    LIST_BUCKETS(
            "GET",
            Level.SERVICE,
            Set.of(),
            PolicyAction.LIST_ALL_MY_BUCKETS,
            Set.of("prefix", "max-buckets", "continuation-token", "bucket-region"),
            SupportedAmzHeaders.LIST_BUCKETS),
    HEAD_BUCKET("HEAD", Level.BUCKET, Set.of(), PolicyAction.LIST_BUCKET, Set.of(), SupportedAmzHeaders.OWNED_BUCKET),
    CREATE_BUCKET("PUT", Level.BUCKET, Set.of(), PolicyAction.CREATE_BUCKET, Set.of(), SupportedAmzHeaders.BUCKET),
    DELETE_BUCKET(
            "DELETE", Level.BUCKET, Set.of(), PolicyAction.DELETE_BUCKET, Set.of(), SupportedAmzHeaders.OWNED_BUCKET),
    GET_BUCKET_LOCATION(
            "GET",
            Level.BUCKET,
            Set.of("location"),
            PolicyAction.GET_BUCKET_LOCATION,
            Set.of(),
            SupportedAmzHeaders.OWNED_BUCKET),
    LIST_OBJECTS_V2(
            "GET",
            Level.BUCKET,
            Set.of("list-type"),
            PolicyAction.LIST_BUCKET,
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
            "GET",
            Level.BUCKET,
            Set.of(),
            PolicyAction.LIST_BUCKET,
            Set.of("prefix", "delimiter", "max-keys", "encoding-type", "marker"),
            SupportedAmzHeaders.LIST),
    LIST_OBJECT_VERSIONS(
            "GET",
            Level.BUCKET,
            Set.of("versions"),
            PolicyAction.LIST_BUCKET_VERSIONS,
            Set.of("prefix", "delimiter", "max-keys", "encoding-type", "key-marker", "version-id-marker"),
            SupportedAmzHeaders.LIST),
    LIST_MULTIPART_UPLOADS(
            "GET",
            Level.BUCKET,
            Set.of("uploads"),
            PolicyAction.LIST_BUCKET_MULTIPART_UPLOADS,
            Set.of("prefix", "delimiter", "max-uploads", "encoding-type", "key-marker", "upload-id-marker"),
            SupportedAmzHeaders.LIST),
    DELETE_OBJECTS(
            "POST", Level.BUCKET, Set.of("delete"), PolicyAction.DELETE_OBJECT, Set.of(), SupportedAmzHeaders.DELETE),
    /** Millrace's own: many objects in one answer. */
    GET_BATCH("POST", Level.BUCKET, Set.of("batch"), PolicyAction.GET_OBJECT, Set.of(), SupportedAmzHeaders.DOCUMENT),
    PREFLIGHT_BUCKET("OPTIONS", Level.BUCKET, Set.of(), null, Set.of("*"), SupportedAmzHeaders.READ),
    PREFLIGHT_OBJECT("OPTIONS", Level.OBJECT, Set.of(), null, Set.of("*"), SupportedAmzHeaders.READ),
    POST_OBJECT("POST", Level.BUCKET, Set.of(), PolicyAction.PUT_OBJECT, Set.of(), SupportedAmzHeaders.DOCUMENT),
    HEAD_OBJECT("HEAD", Level.OBJECT, Set.of(), PolicyAction.GET_OBJECT, ReadParameters.ALL, SupportedAmzHeaders.READ),
    GET_OBJECT("GET", Level.OBJECT, Set.of(), PolicyAction.GET_OBJECT, ReadParameters.ALL, SupportedAmzHeaders.READ),
    PUT_OBJECT("PUT", Level.OBJECT, Set.of(), PolicyAction.PUT_OBJECT, Set.of(), SupportedAmzHeaders.PUT),
    COPY_OBJECT(
            "PUT",
            Level.OBJECT,
            Set.of("x-amz-copy-source"),
            PolicyAction.PUT_OBJECT,
            Set.of(),
            SupportedAmzHeaders.COPY),
    DELETE_OBJECT(
            "DELETE",
            Level.OBJECT,
            Set.of(),
            PolicyAction.DELETE_OBJECT,
            Set.of("versionId"),
            SupportedAmzHeaders.DELETE_ONE),
    CREATE_MULTIPART_UPLOAD(
            "POST",
            Level.OBJECT,
            Set.of("uploads"),
            PolicyAction.PUT_OBJECT,
            Set.of(),
            SupportedAmzHeaders.CREATE_UPLOAD),
    UPLOAD_PART(
            "PUT",
            Level.OBJECT,
            Set.of("uploadId", "partNumber"),
            PolicyAction.PUT_OBJECT,
            Set.of(),
            SupportedAmzHeaders.PART),
    UPLOAD_PART_COPY(
            "PUT",
            Level.OBJECT,
            Set.of("uploadId", "partNumber", "x-amz-copy-source"),
            PolicyAction.PUT_OBJECT,
            Set.of(),
            SupportedAmzHeaders.COPY_PART),
    LIST_PARTS(
            "GET",
            Level.OBJECT,
            Set.of("uploadId"),
            PolicyAction.LIST_MULTIPART_UPLOAD_PARTS,
            Set.of("max-parts", "part-number-marker", "encoding-type"),
            SupportedAmzHeaders.LIST),
    COMPLETE_MULTIPART_UPLOAD(
            "POST", Level.OBJECT, Set.of("uploadId"), PolicyAction.PUT_OBJECT, Set.of(), SupportedAmzHeaders.COMPLETE),
    ABORT_MULTIPART_UPLOAD(
            "DELETE",
            Level.OBJECT,
            Set.of("uploadId"),
            PolicyAction.ABORT_MULTIPART_UPLOAD,
            Set.of(),
            SupportedAmzHeaders.ABORT),
    GET_BUCKET_ACCELERATE_CONFIGURATION("GET", Level.BUCKET, "accelerate", PolicyAction.GET_ACCELERATE_CONFIGURATION),
    PUT_BUCKET_ACCELERATE_CONFIGURATION("PUT", Level.BUCKET, "accelerate", PolicyAction.PUT_ACCELERATE_CONFIGURATION),
    GET_BUCKET_ACL("GET", Level.BUCKET, "acl", PolicyAction.GET_BUCKET_ACL),
    PUT_BUCKET_ACL("PUT", Level.BUCKET, "acl", PolicyAction.PUT_BUCKET_ACL),
    GET_BUCKET_CORS("GET", Level.BUCKET, "cors", PolicyAction.GET_BUCKET_CORS),
    PUT_BUCKET_CORS("PUT", Level.BUCKET, "cors", PolicyAction.PUT_BUCKET_CORS),
    DELETE_BUCKET_CORS("DELETE", Level.BUCKET, "cors", PolicyAction.PUT_BUCKET_CORS),
    GET_BUCKET_ENCRYPTION("GET", Level.BUCKET, "encryption", PolicyAction.GET_ENCRYPTION_CONFIGURATION),
    PUT_BUCKET_ENCRYPTION("PUT", Level.BUCKET, "encryption", PolicyAction.PUT_ENCRYPTION_CONFIGURATION),
    DELETE_BUCKET_ENCRYPTION("DELETE", Level.BUCKET, "encryption", PolicyAction.PUT_ENCRYPTION_CONFIGURATION),
    GET_BUCKET_LIFECYCLE_CONFIGURATION("GET", Level.BUCKET, "lifecycle", PolicyAction.GET_LIFECYCLE_CONFIGURATION),
    PUT_BUCKET_LIFECYCLE_CONFIGURATION("PUT", Level.BUCKET, "lifecycle", PolicyAction.PUT_LIFECYCLE_CONFIGURATION),
    DELETE_BUCKET_LIFECYCLE("DELETE", Level.BUCKET, "lifecycle", PolicyAction.PUT_LIFECYCLE_CONFIGURATION),
    GET_BUCKET_LOGGING("GET", Level.BUCKET, "logging", PolicyAction.GET_BUCKET_LOGGING),
    PUT_BUCKET_LOGGING("PUT", Level.BUCKET, "logging", PolicyAction.PUT_BUCKET_LOGGING),
    GET_BUCKET_NOTIFICATION_CONFIGURATION("GET", Level.BUCKET, "notification", PolicyAction.GET_BUCKET_NOTIFICATION),
    PUT_BUCKET_NOTIFICATION_CONFIGURATION("PUT", Level.BUCKET, "notification", PolicyAction.PUT_BUCKET_NOTIFICATION),
    GET_BUCKET_OWNERSHIP_CONTROLS("GET", Level.BUCKET, "ownershipControls", PolicyAction.GET_BUCKET_OWNERSHIP_CONTROLS),
    PUT_BUCKET_OWNERSHIP_CONTROLS("PUT", Level.BUCKET, "ownershipControls", PolicyAction.PUT_BUCKET_OWNERSHIP_CONTROLS),
    DELETE_BUCKET_OWNERSHIP_CONTROLS(
            "DELETE", Level.BUCKET, "ownershipControls", PolicyAction.PUT_BUCKET_OWNERSHIP_CONTROLS),
    GET_BUCKET_POLICY("GET", Level.BUCKET, "policy", PolicyAction.GET_BUCKET_POLICY),
    PUT_BUCKET_POLICY("PUT", Level.BUCKET, "policy", PolicyAction.PUT_BUCKET_POLICY),
    DELETE_BUCKET_POLICY("DELETE", Level.BUCKET, "policy", PolicyAction.DELETE_BUCKET_POLICY),
    GET_BUCKET_POLICY_STATUS("GET", Level.BUCKET, "policyStatus", PolicyAction.GET_BUCKET_POLICY_STATUS),
    GET_BUCKET_REPLICATION("GET", Level.BUCKET, "replication", PolicyAction.GET_REPLICATION_CONFIGURATION),
    PUT_BUCKET_REPLICATION("PUT", Level.BUCKET, "replication", PolicyAction.PUT_REPLICATION_CONFIGURATION),
    DELETE_BUCKET_REPLICATION("DELETE", Level.BUCKET, "replication", PolicyAction.PUT_REPLICATION_CONFIGURATION),
    GET_BUCKET_REQUEST_PAYMENT("GET", Level.BUCKET, "requestPayment", PolicyAction.GET_BUCKET_REQUEST_PAYMENT),
    PUT_BUCKET_REQUEST_PAYMENT("PUT", Level.BUCKET, "requestPayment", PolicyAction.PUT_BUCKET_REQUEST_PAYMENT),
    GET_BUCKET_TAGGING("GET", Level.BUCKET, "tagging", PolicyAction.GET_BUCKET_TAGGING),
    PUT_BUCKET_TAGGING("PUT", Level.BUCKET, "tagging", PolicyAction.PUT_BUCKET_TAGGING),
    DELETE_BUCKET_TAGGING("DELETE", Level.BUCKET, "tagging", PolicyAction.PUT_BUCKET_TAGGING),
    GET_BUCKET_VERSIONING("GET", Level.BUCKET, "versioning", PolicyAction.GET_BUCKET_VERSIONING),
    PUT_BUCKET_VERSIONING("PUT", Level.BUCKET, "versioning", PolicyAction.PUT_BUCKET_VERSIONING),
    GET_BUCKET_WEBSITE("GET", Level.BUCKET, "website", PolicyAction.GET_BUCKET_WEBSITE),
    PUT_BUCKET_WEBSITE("PUT", Level.BUCKET, "website", PolicyAction.PUT_BUCKET_WEBSITE),
    DELETE_BUCKET_WEBSITE("DELETE", Level.BUCKET, "website", PolicyAction.DELETE_BUCKET_WEBSITE),
    GET_OBJECT_LOCK_CONFIGURATION(
            "GET", Level.BUCKET, "object-lock", PolicyAction.GET_BUCKET_OBJECT_LOCK_CONFIGURATION),
    PUT_OBJECT_LOCK_CONFIGURATION(
            "PUT", Level.BUCKET, "object-lock", PolicyAction.PUT_BUCKET_OBJECT_LOCK_CONFIGURATION),
    GET_PUBLIC_ACCESS_BLOCK("GET", Level.BUCKET, "publicAccessBlock", PolicyAction.GET_BUCKET_PUBLIC_ACCESS_BLOCK),
    PUT_PUBLIC_ACCESS_BLOCK("PUT", Level.BUCKET, "publicAccessBlock", PolicyAction.PUT_BUCKET_PUBLIC_ACCESS_BLOCK),
    DELETE_PUBLIC_ACCESS_BLOCK(
            "DELETE", Level.BUCKET, "publicAccessBlock", PolicyAction.PUT_BUCKET_PUBLIC_ACCESS_BLOCK),
    GET_BUCKET_ANALYTICS_CONFIGURATION("GET", Set.of("analytics", "id"), PolicyAction.GET_ANALYTICS_CONFIGURATION),
    PUT_BUCKET_ANALYTICS_CONFIGURATION("PUT", Set.of("analytics", "id"), PolicyAction.PUT_ANALYTICS_CONFIGURATION),
    DELETE_BUCKET_ANALYTICS_CONFIGURATION(
            "DELETE", Set.of("analytics", "id"), PolicyAction.PUT_ANALYTICS_CONFIGURATION),
    LIST_BUCKET_ANALYTICS_CONFIGURATIONS(
            "GET", Set.of("analytics"), PolicyAction.GET_ANALYTICS_CONFIGURATION, "continuation-token"),
    GET_BUCKET_INTELLIGENT_TIERING_CONFIGURATION(
            "GET", Set.of("intelligent-tiering", "id"), PolicyAction.GET_INTELLIGENT_TIERING_CONFIGURATION),
    PUT_BUCKET_INTELLIGENT_TIERING_CONFIGURATION(
            "PUT", Set.of("intelligent-tiering", "id"), PolicyAction.PUT_INTELLIGENT_TIERING_CONFIGURATION),
    DELETE_BUCKET_INTELLIGENT_TIERING_CONFIGURATION(
            "DELETE", Set.of("intelligent-tiering", "id"), PolicyAction.PUT_INTELLIGENT_TIERING_CONFIGURATION),
    LIST_BUCKET_INTELLIGENT_TIERING_CONFIGURATIONS(
            "GET",
            Set.of("intelligent-tiering"),
            PolicyAction.GET_INTELLIGENT_TIERING_CONFIGURATION,
            "continuation-token"),
    GET_BUCKET_INVENTORY_CONFIGURATION("GET", Set.of("inventory", "id"), PolicyAction.GET_INVENTORY_CONFIGURATION),
    PUT_BUCKET_INVENTORY_CONFIGURATION("PUT", Set.of("inventory", "id"), PolicyAction.PUT_INVENTORY_CONFIGURATION),
    DELETE_BUCKET_INVENTORY_CONFIGURATION(
            "DELETE", Set.of("inventory", "id"), PolicyAction.PUT_INVENTORY_CONFIGURATION),
    LIST_BUCKET_INVENTORY_CONFIGURATIONS(
            "GET", Set.of("inventory"), PolicyAction.GET_INVENTORY_CONFIGURATION, "continuation-token"),
    GET_BUCKET_METRICS_CONFIGURATION("GET", Set.of("metrics", "id"), PolicyAction.GET_METRICS_CONFIGURATION),
    PUT_BUCKET_METRICS_CONFIGURATION("PUT", Set.of("metrics", "id"), PolicyAction.PUT_METRICS_CONFIGURATION),
    DELETE_BUCKET_METRICS_CONFIGURATION("DELETE", Set.of("metrics", "id"), PolicyAction.PUT_METRICS_CONFIGURATION),
    LIST_BUCKET_METRICS_CONFIGURATIONS(
            "GET", Set.of("metrics"), PolicyAction.GET_METRICS_CONFIGURATION, "continuation-token"),
    GET_OBJECT_ACL("GET", Level.OBJECT, "acl", PolicyAction.GET_OBJECT_ACL, "versionId"),
    PUT_OBJECT_ACL("PUT", Level.OBJECT, "acl", PolicyAction.PUT_OBJECT_ACL, "versionId"),
    GET_OBJECT_ATTRIBUTES("GET", Level.OBJECT, "attributes", PolicyAction.GET_OBJECT_ATTRIBUTES, "versionId"),
    GET_OBJECT_TAGGING("GET", Level.OBJECT, "tagging", PolicyAction.GET_OBJECT_TAGGING, "versionId"),
    PUT_OBJECT_TAGGING("PUT", Level.OBJECT, "tagging", PolicyAction.PUT_OBJECT_TAGGING, "versionId"),
    DELETE_OBJECT_TAGGING("DELETE", Level.OBJECT, "tagging", PolicyAction.DELETE_OBJECT_TAGGING, "versionId"),
    GET_OBJECT_RETENTION("GET", Level.OBJECT, "retention", PolicyAction.GET_OBJECT_RETENTION, "versionId"),
    PUT_OBJECT_RETENTION("PUT", Level.OBJECT, "retention", PolicyAction.PUT_OBJECT_RETENTION, "versionId"),
    GET_OBJECT_LEGAL_HOLD("GET", Level.OBJECT, "legal-hold", PolicyAction.GET_OBJECT_LEGAL_HOLD, "versionId"),
    PUT_OBJECT_LEGAL_HOLD("PUT", Level.OBJECT, "legal-hold", PolicyAction.PUT_OBJECT_LEGAL_HOLD, "versionId"),
    RESTORE_OBJECT("POST", Level.OBJECT, "restore", PolicyAction.RESTORE_OBJECT, "versionId"),
    /** A request about a bucket or an object with unknown fields. The gate checks the right that its method needs. */
    UNKNOWN("*", Level.OBJECT, Set.of(), null, Set.of(), Set.of(), Role.UNKNOWN);

    /** The kind of an operation, which determines its handler. */
    public enum Role {
        /** Operations on objects, their names and bytes; each has its own handler. */
        DATA,
        /** Operations on configuration, forwarded to S3 backends. */
        CONFIGURATION,
        /** Operations that only an S3 backend may know. */
        UNKNOWN
    }

    private final String wireName = RequestOperation.inCapitals(name());
    private final String method;
    private final Level level;

    @SuppressWarnings("ImmutableEnumChecker") // always of Set.of, which never changes
    private final Set<String> selectors;

    private final Optional<PolicyAction> action;

    @SuppressWarnings("ImmutableEnumChecker") // as above
    private final Set<String> parameters;

    @SuppressWarnings("ImmutableEnumChecker") // as above
    private final Set<String> fields;

    private final Role role;

    S3Operation(
            String method,
            Level level,
            Set<String> selectors,
            @Nullable PolicyAction action,
            Set<String> parameters,
            Set<String> fields) {
        this(method, level, selectors, action, parameters, fields, Role.DATA);
    }

    /** Creates an operation that is forwarded: one parameter selects it, and the backend checks its fields. */
    S3Operation(String method, Level level, String selector, PolicyAction action, String... parameters) {
        this(
                method,
                level,
                Set.of(selector),
                action,
                Set.of(parameters),
                SupportedAmzHeaders.SUB_RESOURCE,
                Role.CONFIGURATION);
    }

    /** Creates an operation on configurations of which a bucket has several, each with an id. */
    S3Operation(String method, Set<String> selectors, PolicyAction action, String... parameters) {
        this(
                method,
                Level.BUCKET,
                selectors,
                action,
                Set.of(parameters),
                SupportedAmzHeaders.SUB_RESOURCE,
                Role.CONFIGURATION);
    }

    S3Operation(
            String method,
            Level level,
            Set<String> selectors,
            @Nullable PolicyAction action,
            Set<String> parameters,
            Set<String> fields,
            Role role) {
        this.method = method;
        this.level = level;
        this.selectors = selectors;
        this.action = Optional.ofNullable(action);
        this.parameters = parameters;
        this.fields = fields;
        this.role = role;
    }

    /** Returns S3's name, such as {@code GetObject}. */
    @Override
    public String wireName() {
        return wireName;
    }

    @Override
    public boolean isGetOfObject() {
        return this == GET_OBJECT;
    }

    @Override
    public boolean isReadByPost() {
        return this == GET_BATCH;
    }

    @Override
    public boolean isPreflight() {
        return this == PREFLIGHT_BUCKET || this == PREFLIGHT_OBJECT;
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
     * Returns the action of policies that the operation needs on its bucket or key, or {@link PolicyAction#ofVersion
     * its like} for a version. Empty if everyone may start it, or if it is {@link #UNKNOWN}.
     */
    public Optional<PolicyAction> action() {
        return action;
    }

    /**
     * Returns whether the operation says only that a bucket exists. It then needs any action in that bucket, and that
     * its own is not denied.
     */
    public boolean isAboutExistence() {
        return this == LIST_BUCKETS || this == HEAD_BUCKET || this == GET_BUCKET_LOCATION;
    }

    /** Returns whether the operation lists a part of a bucket, which its parameters name. */
    public boolean isListing() {
        return role == Role.DATA
                && !isAboutExistence()
                && action.filter(Right.LIST.actions()::contains).isPresent();
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
