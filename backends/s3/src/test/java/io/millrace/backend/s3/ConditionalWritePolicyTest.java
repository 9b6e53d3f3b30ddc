package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.server.ScriptedServer;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/**
 * Tests that conditional writes go only to servers that are known to honour them. A server that ignores a condition
 * overwrites what the client wants to keep, and responds with 200: a table commit is lost. The server here accepts
 * every write.
 */
class ConditionalWritePolicyTest extends ScriptedServerWriteTest {
    private static final WriteCondition MATCHES = new WriteCondition.IfMatches(ETag.strong("m"));

    /** Takes everything, and says of itself what {@code fields} say. */
    private static ScriptedServer.ResponseScript taking(String... fields) {
        return (request, wire) -> {
            String body = document(request);
            wire.take(request);
            if (request.method().equals("HEAD")) {
                wire.head("200 OK", plus(fields, "Content-Length: 0"));
                return;
            }
            wire.head("200 OK", plus(fields, "ETag: \"written\"", "Content-Length: " + body.length()));
            wire.text(body);
        };
    }

    private static String[] plus(String[] fields, String... more) {
        String[] all = Arrays.copyOf(fields, fields.length + more.length);
        System.arraycopy(more, 0, all, fields.length, more.length);
        return all;
    }

    private static String document(ScriptedServer.ReceivedRequest request) {
        if (request.header("x-amz-copy-source").isPresent()) {
            return "<CopyObjectResult><ETag>t</ETag></CopyObjectResult>";
        }
        return request.method().equals("POST")
                ? "<CompleteMultipartUploadResult><ETag>t</ETag></CompleteMultipartUploadResult>"
                : "";
    }

    @ParameterizedTest
    @EnumSource
    void unknownServerIsSentNoConditionalWrite(ConditionalOperation write) throws IOException {
        Backend backend = undeclared(taking("Server: nginx"));

        assertRefused(failure(send(backend, write, MATCHES)), write);

        assertThat(methods()).isEqualTo("HEAD");
    }

    /** If a server ignores the condition of a delete or an abort, data is lost as well. */
    @Test
    void conditionsThatOnlyDeletesHaveAreRefusedToo() throws IOException {
        Backend backend = undeclared(taking("Server: MinIO"));
        HeaderList size = HeaderList.EMPTY.with("x-amz-if-match-size", "7");
        HeaderList time = HeaderList.EMPTY.with("x-amz-if-match-initiated-time", "Fri, 20 Nov 2026 10:11:12 GMT");
        Deletion sized = new Deletion(ref("key"), Optional.empty(), WriteCondition.ALWAYS, size);
        Deletion matched = new Deletion(ref("key"), Optional.empty(), MATCHES);

        List<DeleteOutcome> outcomes = await(backend.deleteAll(BUCKET, List.of(sized, matched), HeaderList.EMPTY));

        assertThat(outcomes)
                .allSatisfy(outcome -> assertRefused(outcome.failure().orElseThrow(), ConditionalOperation.DELETE));
        assertRefused(
                failure(backend.abortUpload(new MultipartUpload(ref("key"), "u"), time)), ConditionalOperation.DELETE);
        assertThat(origin().requests())
                .extracting(ScriptedServer.ReceivedRequest::method)
                .containsOnly("HEAD");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Server: nginx", "Server: MinIO"})
    void unconditionalWritesSkipServerDetection(String field) throws IOException {
        Backend backend = undeclared(taking(field));

        for (ConditionalOperation write : ConditionalOperation.values()) {
            send(backend, write, WriteCondition.ALWAYS).block(PATIENCE);
        }

        assertThat(methods()).isEqualTo("PUT POST PUT DELETE");
    }

    @ParameterizedTest
    @CsvSource({
        "Server: MinIO, PUT COMPLETE",
        "Server: VERSITYGW, PUT COMPLETE",
        "x-localstack: true, PUT",
        "Server: AmazonS3, ''",
        "Server: Werkzeug/3.1.9 Python/3.11.7, ''"
    })
    void detectsServerByItsResponseHeaders(String field, String honoured) throws IOException {
        Backend backend = undeclared(taking(field));

        assertThat(Arrays.stream(ConditionalOperation.values())
                        .filter(write -> isSent(backend, write))
                        .map(ConditionalOperation::name)
                        .collect(Collectors.joining(" ")))
                .isEqualTo(honoured);
    }

    @ParameterizedTest
    @CsvSource({
        ", AMAZON",
        "https://s3.eu-west-9.amazonaws.com, AMAZON",
        "https://bucket.vpce-1a2b-3c.s3.us-east-1.vpce.amazonaws.com, AMAZON",
        "https://s3.cn-north-1.amazonaws.com.cn, AMAZON",
        "https://ABC.R2.cloudflarestorage.com, R2",
        "https://storage.googleapis.com, GOOGLE",
        "https://bucket.op-1.123456789012.s3-outposts.us-east-1.amazonaws.com, ''",
        "https://amazonaws.com.example.com, ''",
        "https://not-amazonaws.com, ''",
        "http://minio:9000, ''"
    })
    void detectsServerByItsHostName(@Nullable String endpoint, String server) {
        Optional<URI> place = Optional.ofNullable(endpoint).map(URI::create);

        assertThat(KnownS3Server.ofEndpoint(new S3Endpoint("b", place, "us-east-1", true, false, false))
                        .map(KnownS3Server::name)
                        .orElse(""))
                .isEqualTo(server);
    }

    @Test
    void settingOverridesTheDetectedServer() throws IOException {
        Backend backend = declared(taking("Server: MinIO"), ConditionalOperation.COPY);

        assertThat(isSent(backend, ConditionalOperation.COPY)).isTrue();
        assertRefused(failure(send(backend, ConditionalOperation.PUT, MATCHES)), ConditionalOperation.PUT);

        assertThat(methods()).isEqualTo("PUT");
    }

    /** There are servers that honour what S3 has and pass over these. */
    @Test
    void refusesNonS3ConditionsForUndetectedServers() throws IOException {
        Backend declared = declared(taking(), ConditionalOperation.values());
        WriteCondition differs = new WriteCondition.IfDiffers(ETag.strong("d"));

        for (WriteCondition condition : List.of(new WriteCondition.IfExists(), differs)) {
            assertThat(failure(send(declared, ConditionalOperation.PUT, condition)))
                    .hasMessageContaining("conditional-writes");
        }
        assertThat(failure(send(declared, ConditionalOperation.DELETE, differs)))
                .hasMessageContaining("If-None-Match");
        assertThat(origin().requests()).isEmpty();
    }

    @Test
    void sendsEveryConditionToADetectedServer() throws IOException {
        Backend backend = undeclared(taking("Server: MinIO"));

        send(backend, ConditionalOperation.PUT, new WriteCondition.IfExists()).block(PATIENCE);
        send(backend, ConditionalOperation.PUT, new WriteCondition.IfDiffers(ETag.strong("d")))
                .block(PATIENCE);

        assertThat(origin().requests().get(1).headers()).containsEntry("if-match", "*");
        assertThat(origin().requests().get(2).headers()).containsEntry("if-none-match", "\"d\"");
    }

    /** The backend's key may lack the right to look at the bucket. */
    @Test
    void detectsServerByARefusedHeadToo() throws IOException {
        ScriptedServer.ResponseScript taking = taking("Server: MinIO");
        Backend backend = undeclared((request, wire) -> {
            if (request.method().equals("HEAD")) {
                wire.head("403 Forbidden", "Server: MinIO", "Content-Length: 0");
            } else {
                taking.respond(request, wire);
            }
        });

        assertThat(isSent(backend, ConditionalOperation.PUT)).isTrue();
    }

    @Test
    void proxyInTroubleIsNotTakenForTheServer() throws IOException {
        ScriptedServer.ResponseScript taking = taking("Server: MinIO");
        Backend backend = undeclared((request, wire) -> {
            if (request.number() < 3) {
                wire.head("502 Bad Gateway", "Server: nginx", "Content-Length: 0");
            } else {
                taking.respond(request, wire);
            }
        });

        assertKind(failure(send(backend, ConditionalOperation.PUT, MATCHES)), FailureKind.UNAVAILABLE);
        assertThat(isSent(backend, ConditionalOperation.PUT)).isTrue();
    }

    @Test
    void serverIsQueriedAgainAfterAMinute() throws IOException {
        AtomicLong nanos = new AtomicLong();
        undeclared((request, wire) -> taking(request.number() == 0 ? "Server: MinIO" : "Server: nginx")
                .respond(request, wire));
        TestS3Server server = new TestS3Server(origin().uri(), "test-key", "test-secret", "us-east-1");
        S3Client client = S3Client.create("timed", server.settings());
        S3ServerDetector identity = new S3ServerDetector(client, nanos::get);
        try {
            assertThat(await(identity.detect(BUCKET))).contains(KnownS3Server.MINIO);
            nanos.addAndGet(Duration.ofSeconds(59).toNanos());
            assertThat(await(identity.detect(BUCKET))).contains(KnownS3Server.MINIO);
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            assertThat(await(identity.detect(BUCKET))).isEmpty();
        } finally {
            client.close().block(PATIENCE);
        }
    }

    private static Mono<?> send(Backend backend, ConditionalOperation write, WriteCondition condition) {
        return switch (write) {
            case PUT -> backend.put(new NewObject(ref("key"), HeaderList.EMPTY, condition), body(new byte[1]));
            case COMPLETE ->
                backend.completeUpload(new MultipartUpload(ref("key"), "u"), List.of(), HeaderList.EMPTY, condition);
            case COPY ->
                backend.copy(
                        new CopySource(ref("source"), Optional.empty(), ReadConditions.NONE),
                        new NewObject(ref("key"), HeaderList.EMPTY, condition));
            case DELETE -> backend.delete(new Deletion(ref("key"), Optional.empty(), condition), HeaderList.EMPTY);
        };
    }

    private static boolean isSent(Backend backend, ConditionalOperation write) {
        try {
            send(backend, write, MATCHES).block(PATIENCE);
            return true;
        } catch (BackendException refused) {
            assertRefused(refused, write);
            return false;
        }
    }

    /** In words that say what to do. */
    private static void assertRefused(BackendException failure, ConditionalOperation write) {
        assertKind(failure, FailureKind.UNSUPPORTED);
        S3Error words = failure.s3Error().orElseThrow();
        assertThat(words.status()).isEqualTo(501);
        assertThat(words.code()).isEqualTo("NotImplemented");
        assertThat(words.message()).contains("conditional-writes").contains(write.operation());
    }

    private String methods() {
        return origin().requests().stream()
                .map(ScriptedServer.ReceivedRequest::method)
                .collect(Collectors.joining(" "));
    }
}
