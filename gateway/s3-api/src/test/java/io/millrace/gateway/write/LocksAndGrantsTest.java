package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.signature.RequestSigner;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.config.Secret;
import io.millrace.gateway.objects.bucket.BucketSettings.AccessPolicyMode;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What takes the right to administer by itself takes it with a write too: locks, and rights for others. */
@ExtendWith(BufferLeakExtension.class)
class LocksAndGrantsTest {
    private static final FieldsBackend backend =
            new FieldsBackend(new InMemoryBackend(EnumSet.of(Capability.WRITE, Capability.COPY, Capability.MULTIPART))
                    .createBucket(new BucketName("open"))
                    .createBucket(new BucketName("closed")));

    @SuppressWarnings("NullAway.Init")
    private static TestGateway gateway;

    @BeforeAll
    static void start() throws IOException {
        gateway = TestGateway.builder()
                .bucket("closed", backend)
                .accessPolicies(AccessPolicyMode.FORWARD)
                .bucket("*", backend)
                .identity("writer", "WRITER", "writer-secret", "read,list,write:*", "admin:*/others/*")
                .identity("chief", "CHIEF", "chief-secret", "read,write:*", "admin:open/key")
                .start();
        for (String bucket : List.of("open", "closed")) {
            assertThat(send(SignedWriteRequest.put("/" + bucket + "/source", new byte[3]))
                            .status())
                    .isEqualTo(200);
        }
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @BeforeEach
    void forget() {
        backend.forget();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            x-amz-object-lock-mode              | COMPLIANCE
            x-amz-object-lock-retain-until-date | 2126-01-01T00:00:00Z
            x-amz-object-lock-legal-hold        | ON
            x-amz-acl                           | public-read
            x-amz-grant-read                    | uri=everybody
            """)
    void locksAndGrantsNeedTheAdministerRight(String name, String value) throws IOException {
        for (String[] request : requests("open", "WRITER", "writer-secret", name, value)) {
            EndpointWriteCases.assertError(RawClient.ask(gateway.port(), request[1]), 403, "AccessDenied");
            assertThat(backend.fields()).as(request[0]).isEmpty();
        }
        for (String[] request : requests("open", "CHIEF", "chief-secret", name, value)) {
            backend.forget();
            RawClient.Response response = RawClient.ask(gateway.port(), request[1]);
            assertThat(response.status()).as(request[0] + response.text()).isIn(200, 204);
            assertThat(backend.fields()).as(request[0]).containsEntry(name, value);
        }
    }

    @Test
    void bucketSettingRefusesGrantsToAll() throws IOException {
        for (String[] request :
                requests("closed", TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY, "x-amz-acl", "public-read")) {
            EndpointWriteCases.assertError(
                    RawClient.ask(gateway.port(), request[1]), 400, "AccessControlListNotSupported");
        }
        assertThat(backend.fields()).isEmpty();
    }

    @Test
    void privateAclNeedsOnlyTheWriteRight() throws IOException {
        for (String[] request : requests("open", "WRITER", "writer-secret", "x-amz-acl", "private")) {
            backend.forget();
            assertThat(RawClient.ask(gateway.port(), request[1]).status())
                    .as(request[0])
                    .isIn(200, 204);
            assertThat(backend.fields()).containsEntry("x-amz-acl", "private");
        }
    }

    /** As s3fs 0.4 sends it. */
    @Test
    void emptyAclIsNone() throws IOException {
        for (String[] request : requests("closed", "WRITER", "writer-secret", "x-amz-acl", "")) {
            backend.forget();
            RawClient.Response response = RawClient.ask(gateway.port(), request[1]);
            assertThat(response.status()).as(request[0] + response.text()).isIn(200, 204);
            assertThat(backend.fields()).as(request[0]).doesNotContainKey("x-amz-acl");
        }
    }

    /** All ways to say this with a write, each with its name. */
    private static List<String[]> requests(String bucket, String key, String secret, String name, String value) {
        String target = "/" + bucket + "/key";
        String field = name + ": " + value;
        return List.of(
                new String[] {
                    "put",
                    SignedWriteRequest.put(target, new byte[1])
                            .with(field)
                            .by(key, secret)
                            .text()
                },
                new String[] {
                    "copy",
                    SignedWriteRequest.of("PUT", target)
                            .with(field, "x-amz-copy-source: /" + bucket + "/source")
                            .by(key, secret)
                            .text()
                },
                new String[] {
                    "upload",
                    SignedWriteRequest.of("POST", target + "?uploads")
                            .with(field)
                            .by(key, secret)
                            .text()
                },
                new String[] {"presigned", presigned(target, key, secret, name, value)},
                new String[] {
                    "form",
                    PostForm.of(bucket, "key", new byte[1])
                            .allowed(name, value)
                            .by(key, secret)
                            .ask()
                            .text()
                });
    }

    private static String presigned(String target, String key, String secret, String name, String value) {
        URI said = URI.create("http://127.0.0.1:" + gateway.port() + target + "?" + name + "="
                + URLEncoder.encode(value, StandardCharsets.UTF_8));
        URI signed = new RequestSigner(key, Secret.of(secret), "us-east-1")
                .presign(said, "PUT", Duration.ofMinutes(1), Instant.now());
        return "PUT %s?%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 1\r\n\r\nx"
                .formatted(signed.getRawPath(), signed.getRawQuery(), gateway.port());
    }

    private static RawClient.Response send(SignedWriteRequest ask) throws IOException {
        return ask.send(gateway.port());
    }
}
