package io.millrace.auth.policy;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * An action that policies allow or deny, by the name that AWS's policies have for it, such as {@code s3:GetObject}.
 *
 * @see <a href="https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html">S3's actions</a>
 */
public enum PolicyAction {
    GET_OBJECT("s3:GetObject", true),
    GET_OBJECT_VERSION("s3:GetObjectVersion", true),
    GET_OBJECT_ACL("s3:GetObjectAcl", true),
    GET_OBJECT_VERSION_ACL("s3:GetObjectVersionAcl", true),
    GET_OBJECT_ATTRIBUTES("s3:GetObjectAttributes", true),
    GET_OBJECT_VERSION_ATTRIBUTES("s3:GetObjectVersionAttributes", true),
    GET_OBJECT_TAGGING("s3:GetObjectTagging", true),
    GET_OBJECT_VERSION_TAGGING("s3:GetObjectVersionTagging", true),
    GET_OBJECT_RETENTION("s3:GetObjectRetention", true),
    GET_OBJECT_LEGAL_HOLD("s3:GetObjectLegalHold", true),
    PUT_OBJECT("s3:PutObject", true),
    PUT_OBJECT_ACL("s3:PutObjectAcl", true),
    PUT_OBJECT_VERSION_ACL("s3:PutObjectVersionAcl", true),
    PUT_OBJECT_TAGGING("s3:PutObjectTagging", true),
    PUT_OBJECT_VERSION_TAGGING("s3:PutObjectVersionTagging", true),
    DELETE_OBJECT_TAGGING("s3:DeleteObjectTagging", true),
    DELETE_OBJECT_VERSION_TAGGING("s3:DeleteObjectVersionTagging", true),
    RESTORE_OBJECT("s3:RestoreObject", true),
    ABORT_MULTIPART_UPLOAD("s3:AbortMultipartUpload", true),
    LIST_MULTIPART_UPLOAD_PARTS("s3:ListMultipartUploadParts", true),
    DELETE_OBJECT("s3:DeleteObject", true),
    DELETE_OBJECT_VERSION("s3:DeleteObjectVersion", true),
    PUT_OBJECT_RETENTION("s3:PutObjectRetention", true),
    PUT_OBJECT_LEGAL_HOLD("s3:PutObjectLegalHold", true),
    BYPASS_GOVERNANCE_RETENTION("s3:BypassGovernanceRetention", true),
    LIST_ALL_MY_BUCKETS("s3:ListAllMyBuckets", false),
    LIST_BUCKET("s3:ListBucket", false),
    LIST_BUCKET_VERSIONS("s3:ListBucketVersions", false),
    LIST_BUCKET_MULTIPART_UPLOADS("s3:ListBucketMultipartUploads", false),
    GET_BUCKET_LOCATION("s3:GetBucketLocation", false),
    CREATE_BUCKET("s3:CreateBucket", false),
    DELETE_BUCKET("s3:DeleteBucket", false),
    GET_ACCELERATE_CONFIGURATION("s3:GetAccelerateConfiguration", false),
    PUT_ACCELERATE_CONFIGURATION("s3:PutAccelerateConfiguration", false),
    GET_ANALYTICS_CONFIGURATION("s3:GetAnalyticsConfiguration", false),
    PUT_ANALYTICS_CONFIGURATION("s3:PutAnalyticsConfiguration", false),
    GET_BUCKET_ACL("s3:GetBucketAcl", false),
    PUT_BUCKET_ACL("s3:PutBucketAcl", false),
    GET_BUCKET_CORS("s3:GetBucketCORS", false),
    PUT_BUCKET_CORS("s3:PutBucketCORS", false),
    GET_ENCRYPTION_CONFIGURATION("s3:GetEncryptionConfiguration", false),
    PUT_ENCRYPTION_CONFIGURATION("s3:PutEncryptionConfiguration", false),
    GET_INTELLIGENT_TIERING_CONFIGURATION("s3:GetIntelligentTieringConfiguration", false),
    PUT_INTELLIGENT_TIERING_CONFIGURATION("s3:PutIntelligentTieringConfiguration", false),
    GET_INVENTORY_CONFIGURATION("s3:GetInventoryConfiguration", false),
    PUT_INVENTORY_CONFIGURATION("s3:PutInventoryConfiguration", false),
    GET_LIFECYCLE_CONFIGURATION("s3:GetLifecycleConfiguration", false),
    PUT_LIFECYCLE_CONFIGURATION("s3:PutLifecycleConfiguration", false),
    GET_BUCKET_LOGGING("s3:GetBucketLogging", false),
    PUT_BUCKET_LOGGING("s3:PutBucketLogging", false),
    GET_METRICS_CONFIGURATION("s3:GetMetricsConfiguration", false),
    PUT_METRICS_CONFIGURATION("s3:PutMetricsConfiguration", false),
    GET_BUCKET_NOTIFICATION("s3:GetBucketNotification", false),
    PUT_BUCKET_NOTIFICATION("s3:PutBucketNotification", false),
    GET_BUCKET_OBJECT_LOCK_CONFIGURATION("s3:GetBucketObjectLockConfiguration", false),
    PUT_BUCKET_OBJECT_LOCK_CONFIGURATION("s3:PutBucketObjectLockConfiguration", false),
    GET_BUCKET_OWNERSHIP_CONTROLS("s3:GetBucketOwnershipControls", false),
    PUT_BUCKET_OWNERSHIP_CONTROLS("s3:PutBucketOwnershipControls", false),
    GET_BUCKET_POLICY("s3:GetBucketPolicy", false),
    PUT_BUCKET_POLICY("s3:PutBucketPolicy", false),
    DELETE_BUCKET_POLICY("s3:DeleteBucketPolicy", false),
    GET_BUCKET_POLICY_STATUS("s3:GetBucketPolicyStatus", false),
    GET_BUCKET_PUBLIC_ACCESS_BLOCK("s3:GetBucketPublicAccessBlock", false),
    PUT_BUCKET_PUBLIC_ACCESS_BLOCK("s3:PutBucketPublicAccessBlock", false),
    GET_REPLICATION_CONFIGURATION("s3:GetReplicationConfiguration", false),
    PUT_REPLICATION_CONFIGURATION("s3:PutReplicationConfiguration", false),
    GET_BUCKET_REQUEST_PAYMENT("s3:GetBucketRequestPayment", false),
    PUT_BUCKET_REQUEST_PAYMENT("s3:PutBucketRequestPayment", false),
    GET_BUCKET_TAGGING("s3:GetBucketTagging", false),
    PUT_BUCKET_TAGGING("s3:PutBucketTagging", false),
    GET_BUCKET_VERSIONING("s3:GetBucketVersioning", false),
    PUT_BUCKET_VERSIONING("s3:PutBucketVersioning", false),
    GET_BUCKET_WEBSITE("s3:GetBucketWebsite", false),
    PUT_BUCKET_WEBSITE("s3:PutBucketWebsite", false),
    DELETE_BUCKET_WEBSITE("s3:DeleteBucketWebsite", false),
    /**
     * See the state of the gateway, on all buckets, and of a bucket, its jobs and what is cached of it. An action of
     * Millrace, not of S3.
     */
    VIEW("millrace:View", false),
    /**
     * Change what the cache has of a bucket, control its jobs and, on all buckets, check disks. Includes {@link #VIEW}.
     */
    OPERATE("millrace:Operate", false),
    /** Run jobs that need the right admin; on all buckets, everything. Includes {@link #OPERATE}. */
    ADMINISTER("millrace:Administer", false);

    private final String wireName;
    private final boolean isOnObjects;

    PolicyAction(String wireName, boolean isOnObjects) {
        this.wireName = wireName;
        this.isOnObjects = isOnObjects;
    }

    /** Returns the name in policies. */
    public String wireName() {
        return wireName;
    }

    /** Returns whether the action is on objects; otherwise it is on a bucket. */
    public boolean isOnObjects() {
        return isOnObjects;
    }

    /** Returns the action that a request for a version of the object needs instead; this one if there is no other. */
    public PolicyAction ofVersion() {
        return switch (this) {
            case GET_OBJECT -> GET_OBJECT_VERSION;
            case GET_OBJECT_ACL -> GET_OBJECT_VERSION_ACL;
            case GET_OBJECT_ATTRIBUTES -> GET_OBJECT_VERSION_ATTRIBUTES;
            case GET_OBJECT_TAGGING -> GET_OBJECT_VERSION_TAGGING;
            case PUT_OBJECT_ACL -> PUT_OBJECT_VERSION_ACL;
            case PUT_OBJECT_TAGGING -> PUT_OBJECT_VERSION_TAGGING;
            case DELETE_OBJECT_TAGGING -> DELETE_OBJECT_VERSION_TAGGING;
            case DELETE_OBJECT -> DELETE_OBJECT_VERSION;
            default -> this;
        };
    }

    /** Returns the action with this name, in any case. */
    public static Optional<PolicyAction> named(String name) {
        for (PolicyAction action : values()) {
            if (action.wireName.equalsIgnoreCase(name)) {
                return Optional.of(action);
            }
        }
        return Optional.empty();
    }

    /** Returns the actions whose names match a pattern, in any case; {@code *} alone matches all. */
    static Set<PolicyAction> matching(String pattern) {
        GlobPattern glob = GlobPattern.of(pattern.toLowerCase(Locale.ROOT));
        EnumSet<PolicyAction> actions = EnumSet.noneOf(PolicyAction.class);
        for (PolicyAction action : values()) {
            if (glob.matches(action.wireName.toLowerCase(Locale.ROOT))) {
                actions.add(action);
            }
        }
        return actions;
    }

    /** Adds the actions that some of {@code actions} include to them, for a statement that allows them. */
    static void addIncluded(Set<PolicyAction> actions) {
        if (actions.contains(ADMINISTER)) {
            actions.add(OPERATE);
        }
        if (actions.contains(OPERATE)) {
            actions.add(VIEW);
        }
    }

    /**
     * Adds the actions that nobody may do who may not do some of {@code actions}, for a statement that denies them.
     * Denying {@link #ADMINISTER} denies {@link #VIEW} too, as it did when there was no other action.
     */
    static void addDependent(Set<PolicyAction> actions) {
        if (actions.contains(VIEW) || actions.contains(ADMINISTER)) {
            actions.addAll(List.of(VIEW, OPERATE, ADMINISTER));
        } else if (actions.contains(OPERATE)) {
            actions.add(ADMINISTER);
        }
    }

    /** Returns the names of all actions. */
    static List<String> names() {
        List<String> names = new ArrayList<>();
        for (PolicyAction action : values()) {
            names.add(action.wireName);
        }
        return names;
    }
}
