package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a backend that keeps nothing beside objects is asked for it: S3's own answer for "there is none", or a plain no.
 */
class SubResourceTest extends FolderGatewayTest {
    @BeforeAll
    static void start() throws IOException {
        gateway = TestGateway.builder()
                .bucket("*", origin.backend())
                .identity("reader", "READER", "reader-secret", "read,list:*")
                .start();
        origin.createBucket("bucket");
        assertThat(send(SignedWriteRequest.put("/bucket/key", new byte[42])).status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            GET, /bucket?accelerate,        200, AccelerateConfiguration
            GET, /bucket?acl,               200, AccessControlPolicy
            GET, /bucket?cors,              404, NoSuchCORSConfiguration
            GET, /bucket?encryption,        404, ServerSideEncryptionConfigurationNotFoundError
            GET, /bucket?lifecycle,         404, NoSuchLifecycleConfiguration
            GET, /bucket?location,          200, LocationConstraint
            GET, /bucket?logging,           200, BucketLoggingStatus
            GET, /bucket?notification,      200, NotificationConfiguration
            GET, /bucket?object-lock,       404, ObjectLockConfigurationNotFoundError
            GET, /bucket?ownershipControls, 404, OwnershipControlsNotFoundError
            GET, /bucket?policy,            404, NoSuchBucketPolicy
            GET, /bucket?policyStatus,      404, NoSuchBucketPolicy
            GET, /bucket?publicAccessBlock, 404, NoSuchPublicAccessBlockConfiguration
            GET, /bucket?replication,       404, ReplicationConfigurationNotFoundError
            GET, /bucket?requestPayment,    200, RequestPaymentConfiguration
            GET, /bucket?tagging,           404, NoSuchTagSet
            GET, /bucket?versioning,        200, VersioningConfiguration
            GET, /bucket?website,           404, NoSuchWebsiteConfiguration
            GET, /bucket/key?acl,           200, AccessControlPolicy
            GET, /bucket/key?tagging,       200, Tagging
            GET, /bucket/key?retention,     400, InvalidRequest
            GET, /bucket/key?legal-hold,    400, InvalidRequest
            GET, /bucket/none?acl,          404, NoSuchKey
            GET, /bucket/none?tagging,      404, NoSuchKey
            GET, /no-bucket?policy,         404, NoSuchBucket
            GET, /no-bucket?versioning,     404, NoSuchBucket
            PUT, /bucket?cors,              501, NotImplemented
            PUT, /bucket?policy,            501, NotImplemented
            PUT, /bucket?versioning,        501, NotImplemented
            PUT, /bucket?lifecycle,         501, NotImplemented
            PUT, /bucket?tagging,           501, NotImplemented
            PUT, /bucket?acl,               501, NotImplemented
            PUT, /bucket/key?tagging,       501, NotImplemented
            PUT, /bucket/key?acl,           400, MissingSecurityHeader
            PUT, /bucket/key?retention,     501, NotImplemented
            PUT, /bucket/key?legal-hold,    501, NotImplemented
            POST, /bucket/key?restore,      501, NotImplemented
            DELETE, /bucket?policy,         501, NotImplemented
            DELETE, /bucket?tagging,        501, NotImplemented
            DELETE, /bucket/key?tagging,    501, NotImplemented
            GET, /bucket?analytics&id=1,    404, NoSuchConfiguration
            GET, /bucket?analytics,         200, ListBucketAnalyticsConfigurationResult
            GET, /bucket?inventory,         200, ListInventoryConfigurationsResult
            GET, /bucket?metrics&id=1,      404, NoSuchConfiguration
            PUT, /bucket?metrics&id=1,      501, NotImplemented
            DELETE, /bucket?intelligent-tiering&id=1, 501, NotImplemented
            GET, /bucket/key?torrent,       501, NotImplemented
            POST, /bucket/key?select&select-type=2, 501, NotImplemented
            """)
    void eachSubresourceHasItsOwnResponse(String method, String target, int status, String name) throws IOException {
        RawClient.Response response = send(SignedWriteRequest.of(method, target));

        assertThat(response.status()).as(response.text()).isEqualTo(status);
        if (status == 200) {
            assertThat(response.headers()).containsEntry("content-type", "application/xml");
            assertThat(response.text()).contains("<" + name);
        } else {
            assertThat(response.element("Code")).isEqualTo(name);
        }
        assertThat(send(SignedWriteRequest.get("/bucket/key")).bytes()).isEqualTo(new byte[42]);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            GET,    /bucket?policy
            GET,    /bucket?cors
            PUT,    /bucket?policy
            PUT,    /bucket?versioning
            PUT,    /bucket/key?acl
            PUT,    /bucket/key?tagging
            DELETE, /bucket?lifecycle
            DELETE, /bucket?policy
            POST,   /bucket/key?restore
            """)
    void deniesCallersWithReadRightOnly(String method, String target) throws IOException {
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of(method, target).by("READER", "reader-secret")), 403, "AccessDenied");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of(method, target).anonymous()), 403, "AccessDenied");
    }

    @Test
    void attributesComeFromTheObject() throws IOException {
        RawClient.Response response = send(SignedWriteRequest.get("/bucket/key?attributes")
                .with("x-amz-object-attributes: ETag,ObjectSize, StorageClass"));

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(response.element("ObjectSize")).isEqualTo("42");
        assertThat(response.element("StorageClass")).isEqualTo("STANDARD");
        assertThat("\"" + response.element("ETag") + "\"")
                .isEqualTo(send(SignedWriteRequest.get("/bucket/key")).headers().get("etag"));
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.get("/bucket/key?attributes").with("x-amz-object-attributes: Colour")),
                400,
                "InvalidArgument");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.get("/bucket/none?attributes").with("x-amz-object-attributes: ETag")),
                404,
                "NoSuchKey");
    }

    @Test
    void unversionedBackendReportsNullVersions() throws IOException {
        assertThat(send(SignedWriteRequest.get("/bucket?versions")).text()).contains("<VersionId>null</VersionId>");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("DELETE", "/bucket/key?versionId=abc")), 404, "NoSuchVersion");
        assertThat(send(SignedWriteRequest.get("/bucket/key")).status()).isEqualTo(200);

        send(SignedWriteRequest.put("/bucket/of-null-version", new byte[1]));
        assertThat(send(SignedWriteRequest.of("DELETE", "/bucket/of-null-version?versionId=null"))
                        .status())
                .isEqualTo(204);
        assertThat(send(SignedWriteRequest.get("/bucket/of-null-version")).status())
                .isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            x-amz-tagging: a=b
            x-amz-storage-class: GLACIER
            x-amz-server-side-encryption: aws:kms
            x-amz-object-lock-mode: GOVERNANCE
            x-amz-server-side-encryption-customer-algorithm: AES256
            """)
    void refusesUnsupportedMetadataWithoutStoring(String field) throws IOException {
        RawClient.Response response = send(
                SignedWriteRequest.put("/bucket/kept-otherwise", new byte[10]).with(field));

        EndpointWriteCases.assertError(response, 501, "NotImplemented");
        assertThat(send(SignedWriteRequest.get("/bucket/kept-otherwise")).status())
                .isEqualTo(404);
    }
}
