package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is not served is refused, and never answered with something similar: a client that asks for an ACL must not be
 * given the object, and one that deletes must not be told that it listed. The backend here knows nothing, and remembers
 * being asked.
 */
class UnservedOperationsTest {
    private static final Queue<String> requested = new ConcurrentLinkedQueue<>();

    @SuppressWarnings("NullAway.Init")
    private static TestGateway gateway;

    @BeforeAll
    static void start() {
        gateway = TestGateway.over((Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("capabilities")) {
                        return Set.of();
                    }
                    requested.add(method.getName());
                    throw new UnsupportedOperationException(method.getName());
                }));
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // of the service
                "GET /?Action=ListUsers&Version=2010-05-08",
                // of a bucket, by sub-resource
                "GET /bucket?metadataTable",
                "GET /bucket?session",
                "GET /bucket?list-type=2&versions",
                "GET /bucket?location&acl",
                "GET /bucket?list-type=2&marker=a",
                "GET /bucket?start-after=a",
                "GET /bucket?unknown",
                "HEAD /bucket?acl",
                // of an object
                "GET /bucket/key?torrent",
                "GET /bucket/key?uploads",
                "GET /bucket/key?versions",
                "GET /bucket/key?select&select-type=2",
                "GET /bucket/key?partNumber=1&uploadId=1",
                "GET /bucket/key?versionid=null",
                "GET /bucket/key?list-type=2",
                "HEAD /bucket/key?tagging",
                "PUT /bucket/key?renameObject",
                "POST /bucket/key?select&select-type=2",
            })
    void operationThatIsNotServedIsNotImplemented(String line) throws IOException {
        assertNotImplemented(line);
    }

    /** As S3 says it; what is allowed there is in {@code Allow}. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            POST /            | SERVICE | GET
            PUT /             | SERVICE | GET
            FOO /             | SERVICE | GET
            PATCH /bucket     | BUCKET  | DELETE, GET, HEAD, OPTIONS, POST, PUT
            PATCH /bucket?acl | BUCKET  | DELETE, GET, HEAD, OPTIONS, POST, PUT
            POST /bucket/key  | OBJECT  | DELETE, GET, HEAD, OPTIONS, PUT
            PATCH /bucket/key | OBJECT  | DELETE, GET, HEAD, OPTIONS, PUT
            FOO /bucket/key?x | OBJECT  | DELETE, GET, HEAD, OPTIONS, PUT
            """)
    void methodThatMeansNothingThereIsNotAllowed(String line, String level, String allowed) throws IOException {
        String method = line.substring(0, line.indexOf(' '));
        RawClient.Response response =
                new RawResponse(gateway.port(), gateway.signer()).ask(method, line.substring(line.indexOf(' ') + 1));

        assertThat(response.status()).as(response.text()).isEqualTo(405);
        assertThat(response.element("Code")).isEqualTo("MethodNotAllowed");
        assertThat(response.element("Method")).isEqualTo(method);
        assertThat(response.element("ResourceType")).isEqualTo(level);
        assertThat(response.headers()).containsEntry("allow", allowed);
        assertThat(requested).as("what the backend was asked").isEmpty();
    }

    @Test
    void anonymousCallersDoNotLearnTheMethods() throws IOException {
        RawClient.Response response =
                RawClient.ask(gateway.port(), "PATCH /bucket/key HTTP/1.1\r\nHost: localhost\r\n\r\n");

        EndpointReadCases.assertError(response, 403, "AccessDenied", "/bucket/key");
        assertThat(response.headers()).doesNotContainKey("allow");
    }

    /** Each changes what the answer would mean, so it is refused rather than overlooked. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "x-amz-server-side-encryption-customer-algorithm: AES256",
                "x-amz-server-side-encryption-customer-key: a2V5",
                "x-amz-copy-source: /bucket/key",
                "x-amz-expected-bucket-owner: 111122223333",
                "x-amz-object-attributes: ETag",
                "x-amz-write-offset-bytes: 5",
                "x-amz-bypass-governance-retention: true",
                "x-amz-anything-new: 1",
            })
    void fieldThatIsNotUnderstoodIsNotImplemented(String field) throws IOException {
        assertNotImplemented("GET /bucket/key", field);
        assertNotImplemented("HEAD /bucket/key", field);
        assertNotImplemented("GET /bucket?list-type=2", field);
    }

    /** S3 has words of its own for it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "x-amz-server-side-encryption: aws:kms",
                "x-amz-server-side-encryption-aws-kms-key-id: k",
                "x-amz-server-side-encryption-context: e30=",
                "x-amz-server-side-encryption-bucket-key-enabled: true",
            })
    void readWithEncryptionHeadersIsAnInvalidArgument(String field) throws IOException {
        RawResponse wire = new RawResponse(gateway.port(), gateway.signer());

        EndpointReadCases.assertError(wire.get("/bucket/key", field), 400, "InvalidArgument", "/bucket/key");
        assertThat(wire.head("/bucket/key", field).status()).isEqualTo(400);
        assertThat(requested).as("what the backend was asked").isEmpty();
    }

    /** Some servers make paths of the ids that they gave out. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /bucket/key?uploadId=..%2F..%2Fother",
                "PUT /bucket/key?uploadId=..%2Fother&partNumber=2",
                "DELETE /bucket/key?uploadId=..",
                "DELETE /bucket/key?uploadId=.",
                "POST /bucket/key?uploadId=a%5C..%5Cb",
                "GET /bucket/key?uploadId=a%00b",
                "GET /bucket/key?versionId=..%2Fx",
                "DELETE /bucket/key?versionId=a%2Fb",
                "GET /bucket/key?tagging&versionId=..",
                "GET /bucket?uploads&key-marker=a&upload-id-marker=..%2Fx",
                "GET /bucket?versions&key-marker=a&version-id-marker=..%2Fx",
            })
    void idThatCouldBeAPathReachesNoBackend(String line) throws IOException {
        String method = line.substring(0, line.indexOf(' '));
        RawClient.Response response =
                new RawResponse(gateway.port(), gateway.signer()).ask(method, line.substring(line.indexOf(' ') + 1));

        assertThat(response.element("Code")).isEqualTo(line.contains("uploadId") ? "NoSuchUpload" : "InvalidArgument");
        assertThat(requested).as("what the backend was asked").isEmpty();
    }

    /** A backend could take it for the object's current version. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /bucket/key?versionId=",
                "DELETE /bucket/key?versionId",
                "GET /bucket/key?tagging&versionId=",
            })
    void aVersionWithoutANameReachesNoBackend(String line) throws IOException {
        String method = line.substring(0, line.indexOf(' '));
        RawClient.Response response =
                new RawResponse(gateway.port(), gateway.signer()).ask(method, line.substring(line.indexOf(' ') + 1));

        EndpointReadCases.assertError(response, 400, "InvalidArgument", "/bucket/key");
        assertThat(response.element("ArgumentName")).isEqualTo("versionId");
        assertThat(requested).as("what the backend was asked").isEmpty();
    }

    private static void assertNotImplemented(String line, String... fields) throws IOException {
        String method = line.substring(0, line.indexOf(' '));
        String target = line.substring(line.indexOf(' ') + 1);

        RawClient.Response response = new RawResponse(gateway.port(), gateway.signer()).ask(method, target, fields);

        if (method.equals("HEAD")) {
            assertThat(response.status()).isEqualTo(501);
            assertThat(response.body()).isEmpty();
        } else {
            String path = target.indexOf('?') < 0 ? target : target.substring(0, target.indexOf('?'));
            EndpointReadCases.assertError(response, 501, "NotImplemented", path);
        }
        assertThat(requested).as("what the backend was asked").isEmpty();
    }
}
