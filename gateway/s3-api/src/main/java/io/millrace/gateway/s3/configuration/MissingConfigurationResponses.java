package io.millrace.gateway.s3.configuration;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.XmlWriter;
import java.nio.ByteBuffer;

/** Builds S3's responses for configuration that does not exist: a default document or an error. */
final class MissingConfigurationResponses {
    private static final String OWNER = "millrace";

    private MissingConfigurationResponses() {}

    /**
     * Returns the response for a backend that stores no configuration.
     *
     * @throws S3Exception the operation's error for missing configuration; NotImplemented for a change
     */
    static S3Response of(S3Operation operation) {
        return switch (operation) {
            case GET_BUCKET_ACCELERATE_CONFIGURATION -> empty("AccelerateConfiguration");
            case GET_BUCKET_ACL, GET_OBJECT_ACL -> S3Response.xml(200, HeaderList.EMPTY, aclDocument());
            case GET_BUCKET_LOGGING -> empty("BucketLoggingStatus");
            case GET_BUCKET_NOTIFICATION_CONFIGURATION -> empty("NotificationConfiguration");
            case GET_BUCKET_REQUEST_PAYMENT ->
                xml(XmlWriter.of("RequestPaymentConfiguration").element("Payer", "BucketOwner"));
            case GET_BUCKET_VERSIONING -> empty("VersioningConfiguration");
            case GET_OBJECT_TAGGING ->
                xml(XmlWriter.of("Tagging").open("TagSet").close());
            case LIST_BUCKET_ANALYTICS_CONFIGURATIONS -> emptyList("ListBucketAnalyticsConfigurationResult");
            case LIST_BUCKET_INTELLIGENT_TIERING_CONFIGURATIONS ->
                emptyList("ListBucketIntelligentTieringConfigurationsOutput");
            case LIST_BUCKET_INVENTORY_CONFIGURATIONS -> emptyList("ListInventoryConfigurationsResult");
            case LIST_BUCKET_METRICS_CONFIGURATIONS -> emptyList("ListMetricsConfigurationsResult");
            case GET_BUCKET_ANALYTICS_CONFIGURATION,
                    GET_BUCKET_INTELLIGENT_TIERING_CONFIGURATION,
                    GET_BUCKET_INVENTORY_CONFIGURATION,
                    GET_BUCKET_METRICS_CONFIGURATION ->
                throw none("NoSuchConfiguration", "The specified configuration does not exist.");
            case GET_BUCKET_CORS -> throw none("NoSuchCORSConfiguration", "The CORS configuration does not exist");
            case GET_BUCKET_ENCRYPTION ->
                throw none(
                        "ServerSideEncryptionConfigurationNotFoundError",
                        "The server side encryption configuration was not found");
            case GET_BUCKET_LIFECYCLE_CONFIGURATION ->
                throw none("NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist");
            case GET_BUCKET_OWNERSHIP_CONTROLS ->
                throw none("OwnershipControlsNotFoundError", "The bucket ownership controls were not found");
            case GET_BUCKET_POLICY, GET_BUCKET_POLICY_STATUS ->
                throw none("NoSuchBucketPolicy", "The bucket policy does not exist");
            case GET_BUCKET_REPLICATION ->
                throw none("ReplicationConfigurationNotFoundError", "The replication configuration was not found");
            case GET_BUCKET_TAGGING -> throw none("NoSuchTagSet", "The TagSet does not exist");
            case GET_BUCKET_WEBSITE ->
                throw none("NoSuchWebsiteConfiguration", "The specified bucket does not have a website configuration");
            case GET_OBJECT_LOCK_CONFIGURATION ->
                throw none(
                        "ObjectLockConfigurationNotFoundError",
                        "Object Lock configuration does not exist for this bucket");
            case GET_PUBLIC_ACCESS_BLOCK ->
                throw none(
                        "NoSuchPublicAccessBlockConfiguration", "The public access block configuration was not found");
            case GET_OBJECT_RETENTION, GET_OBJECT_LEGAL_HOLD ->
                throw new S3Exception(S3ErrorCode.INVALID_REQUEST, "Bucket is missing Object Lock Configuration");
            default ->
                throw new S3Exception(
                        S3ErrorCode.NOT_IMPLEMENTED, "The backend of this bucket has no " + operation.wireName());
        };
    }

    /** Returns the default ACL: the owner has full control. */
    static ByteBuffer aclDocument() {
        XmlWriter xml = XmlWriter.of("AccessControlPolicy");
        xml.open("Owner")
                .element("ID", OWNER)
                .element("DisplayName", OWNER)
                .close()
                .open("AccessControlList")
                .open("Grant")
                .typed("Grantee", "CanonicalUser")
                .element("ID", OWNER)
                .element("DisplayName", OWNER)
                .close()
                .element("Permission", "FULL_CONTROL")
                .close()
                .close();
        return xml.bytes();
    }

    private static S3Response empty(String root) {
        return xml(XmlWriter.of(root));
    }

    private static S3Response emptyList(String root) {
        return xml(XmlWriter.of(root).element("IsTruncated", "false"));
    }

    private static S3Response xml(XmlWriter document) {
        return S3Response.xml(200, HeaderList.EMPTY, document.bytes());
    }

    private static S3Exception none(String code, String message) {
        return new S3Exception(404, code, message);
    }
}
