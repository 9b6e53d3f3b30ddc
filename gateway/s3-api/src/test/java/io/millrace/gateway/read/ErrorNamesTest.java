package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Errors name what they are about as S3 does, in the client's own names: tools read the key that is missing out of
 * them.
 */
class ErrorNamesTest {
    private static final InMemoryBackend backend = new InMemoryBackend(
            EnumSet.of(Capability.WRITE, Capability.COPY, Capability.MULTIPART, Capability.VERSIONS));

    @SuppressWarnings("NullAway.Init")
    private static TestGateway gateway;

    @BeforeAll
    static void start() {
        backend.store(new ObjectRef(new BucketName("real"), new ObjectKey("part/key")), new byte[1], HeaderList.EMPTY);
        backend.store(new ObjectRef(new BucketName("view"), new ObjectKey("part/key")), new byte[1], HeaderList.EMPTY);
        gateway = TestGateway.builder()
                .bucket("view", backend, "part/", "none")
                .bucket("*", backend)
                .start();
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            GET,    /real/a/none,                NoSuchKey,                    Key,        a/none
            GET,    /real/caf%C3%A9%20%3C,       NoSuchKey,                    Key,        café <
            GET,    /view/none,                  NoSuchKey,                    Key,        none
            GET,    /real/none?acl,              NoSuchKey,                    Key,        none
            GET,    /none/key,                   NoSuchBucket,                 BucketName, none
            GET,    /none?list-type=2,           NoSuchBucket,                 BucketName, none
            GET,    /real?lifecycle,             NoSuchLifecycleConfiguration, BucketName, real
            GET,    /real?policy,                NoSuchBucketPolicy,           BucketName, real
            GET,    /real?tagging,               NoSuchTagSet,                 BucketName, real
            DELETE, /real,                       BucketNotEmpty,               BucketName, real
            DELETE, /real/part/key?uploadId=abc, NoSuchUpload,                 UploadId,   abc
            GET,    /real/part/key?versionId=v9, NoSuchVersion,                Key,        part/key
            GET,    /real/part/key?versionId=v9, NoSuchVersion,                VersionId,  v9
            """)
    void errorNamesWhatItIsAbout(String method, String target, String code, String element, String value)
            throws IOException {
        RawClient.Response response = new RawResponse(gateway.port(), gateway.signer()).ask(method, target);

        assertThat(response.element("Code")).as(response.text()).isEqualTo(code);
        assertThat(response.element(element).replace("&lt;", "<")).isEqualTo(value);
    }

    @Test
    void copyNamesTheKeyOfItsSource() throws IOException {
        RawClient.Response response = new RawResponse(gateway.port(), gateway.signer())
                .ask("PUT", "/real/target", "x-amz-copy-source: /view/no%20source", "content-length: 0");

        assertThat(response.element("Code")).as(response.text()).isEqualTo("NoSuchKey");
        assertThat(response.element("Key")).isEqualTo("no source");
    }
}
