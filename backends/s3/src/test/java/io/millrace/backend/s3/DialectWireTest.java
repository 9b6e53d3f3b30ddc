package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.http.HttpRequestHead;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.server.ScriptedServer;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests what Amazon has beyond other S3 servers, before a server that records requests: nobody here has an account
 * there.
 */
class DialectWireTest extends ScriptedServerWriteTest {
    private static final HeaderList ENCRYPTION = HeaderList.EMPTY
            .with("x-amz-server-side-encryption", "aws:kms")
            .with("x-amz-server-side-encryption-aws-kms-key-id", "arn:aws:kms:eu-west-9:1:key/k")
            .with("x-amz-server-side-encryption-context", "e30=")
            .with("x-amz-server-side-encryption-bucket-key-enabled", "true");

    /** Takes everything, and returns the encryption that it was asked for. */
    private static void take(ScriptedServer.ReceivedRequest request, ScriptedServer.ServerConnection wire)
            throws IOException {
        String document = request.target().contains("list-type")
                ? "<ListBucketResult/>"
                : request.target().contains("uploads")
                        ? "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>"
                        : request.header("x-amz-copy-source").isPresent()
                                ? "<CopyObjectResult><ETag>t</ETag></CopyObjectResult>"
                                : "";
        wire.take(request);
        wire.head(
                "200 OK",
                "ETag: \"written\"",
                "Last-Modified: Fri, 20 Nov 2026 10:11:12 GMT",
                "x-amz-server-side-encryption: "
                        + request.header("x-amz-server-side-encryption").orElse("AES256"),
                "x-amz-server-side-encryption-aws-kms-key-id: arn:aws:kms:eu-west-9:1:key/k",
                "Content-Length: " + document.length());
        wire.text(document);
    }

    @ParameterizedTest
    @CsvSource({"true, requester", "false, "})
    void requesterPaysForEveryRequestIfSet(boolean pays, @Nullable String header) throws IOException {
        Backend backend = paying(pays);
        try {
            await(backend.head(KEY));
            read(backend, KEY);
            await(backend.listObjects(
                    new ListRequest(BUCKET, "", "", new PageStart.FirstKey(), ListRequest.MAX_KEYS, false)));
            await(put(backend, body(new byte[10])));
            await(backend.delete(Deletion.of(ref("key")), HeaderList.EMPTY));
        } finally {
            backend.close().block(PATIENCE);
        }

        assertThat(origin().requests()).hasSizeGreaterThanOrEqualTo(5).allSatisfy(request -> {
            assertThat(request.header("x-amz-request-payer")).isEqualTo(Optional.ofNullable(header));
            assertThat(request.header("authorization").orElseThrow().contains("x-amz-request-payer"))
                    .as("signed")
                    .isEqualTo(pays);
        });
    }

    @Test
    void encryptionOfAWriteIsPassedOnAndReported() throws IOException {
        Backend backend = backend(DialectWireTest::take);
        NewObject target = new NewObject(ref("key"), ENCRYPTION, WriteCondition.ALWAYS);

        WriteResult written = await(backend.put(target, body(new byte[10])));
        await(backend.createUpload(target));
        await(backend.copy(new CopySource(ref("source"), Optional.empty(), ReadConditions.NONE), target));

        assertThat(written.headers().first("x-amz-server-side-encryption")).contains("aws:kms");
        assertThat(origin().requests())
                .hasSize(3)
                .allSatisfy(request -> ENCRYPTION
                        .fields()
                        .forEach(field ->
                                assertThat(request.header(field.name())).contains(field.value())));
    }

    /** An alias of an access point is used like a bucket's name; an ARN is none, and is refused by the settings. */
    @ParameterizedTest
    @CsvSource({
        "https://s3.dualstack.eu-west-9.amazonaws.com, false, bucket, bucket.s3.dualstack.eu-west-9.amazonaws.com,"
                + " /key",
        "https://s3.dualstack.eu-west-9.amazonaws.com, , bucket, s3.dualstack.eu-west-9.amazonaws.com, /bucket/key",
        ", , point-0a1b2c3d4e5f-s3alias, point-0a1b2c3d4e5f-s3alias.s3.eu-west-9.amazonaws.com, /key"
    })
    void addressesDualStackHostsAndAccessPoints(
            @Nullable String endpoint, @Nullable Boolean pathStyle, String bucket, String host, String path) {
        HttpRequestHead request = signedGet(endpoint, pathStyle, bucket);

        assertThat(request.address().getHostString()).isEqualTo(host);
        assertThat(request.target()).isEqualTo(path);
        assertThat(request.headers().first("authorization").orElseThrow()).contains("/eu-west-9/s3/aws4_request");
    }

    private Backend paying(boolean pays) throws IOException {
        backend(DialectWireTest::take);
        return new S3BackendProvider()
                .create(
                        "paying",
                        TestS3Server.at(origin().uri()).payingFor(pays).settings());
    }
}
