package io.millrace.gateway.s3.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.PayloadType;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.ForwardResponse;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

/** Verifies the check of the expected owner, because bucket names can be taken over by others. */
class ExpectedOwnerCheckTest {
    private static final String OWNER = "111122223333";

    private final InMemoryBackend objects = new InMemoryBackend(EnumSet.complementOf(EnumSet.of(
                    Capability.EXPECTED_OWNER, Capability.S3_CONFIGURATION, Capability.S3_FORWARD, Capability.TAGS)))
            .createBucket(new BucketName("owned"));
    private final List<ForwardRequest> requested = new CopyOnWriteArrayList<>();
    private final TestGateway[] gateways = new TestGateway[2];

    @BeforeEach
    void start() {
        gateways[0] = TestGateway.over(owned());
        gateways[1] = TestGateway.over(objects);
    }

    @AfterEach
    void stop() {
        for (TestGateway gateway : gateways) {
            gateway.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "HEAD,   /owned,               200",
        "GET,    /owned?location,      200",
        "GET,    /owned,               200",
        "GET,    /owned?list-type=2,   200",
        "GET,    /owned?versions,      200",
        "GET,    /owned?uploads,       200",
        "GET,    /owned/key?uploadId=1, 404",
        "DELETE, /owned,               204",
    })
    void servesOnlyRequestsThatNameTheOwner(String method, String target, int status) throws IOException {
        assertThat(ask(0, method, target, "444455556666").status()).isEqualTo(403);
        assertThat(ask(0, method, target, OWNER).status()).isEqualTo(status);

        assertThat(requested).hasSize(2).allSatisfy(request -> {
            assertThat(request.method()).isEqualTo("HEAD");
            assertThat(request.bucket()).isEqualTo(new BucketName("owned"));
            assertThat(request.key()).isEmpty();
            assertThat(request.headers().fields())
                    .extracting(HeaderList.HeaderField::name)
                    .containsExactly("x-amz-expected-bucket-owner");
        });
    }

    @Test
    void backendWithoutOwnersGetsNoRequest() throws IOException {
        RawClient.Response answer = ask(1, "DELETE", "/owned", OWNER);

        assertThat(answer.status()).isEqualTo(501);
        assertThat(answer.element("Header")).isEqualTo("x-amz-expected-bucket-owner");
        assertThat(objects.headBucket(new BucketName("owned")).block()).isNotNull();
    }

    private RawClient.Response ask(int gateway, String method, String target, String owner) throws IOException {
        TestGateway requested = gateways[gateway];
        URI uri = URI.create(requested.endpoint() + target);
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("host", uri.getAuthority());
        fields.put("x-amz-expected-bucket-owner", owner);
        fields.putAll(requested.signer().sign(uri, method, fields, PayloadType.UNSIGNED, Instant.now()));
        StringBuilder text = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
        fields.forEach((name, value) -> text.append(name + ": " + value + "\r\n"));
        return RawClient.ask(requested.port(), text.append("\r\n").toString());
    }

    /** Puts the same objects behind an S3 server that knows the owners of its buckets. */
    private Backend owned() {
        Set<Capability> all = EnumSet.allOf(Capability.class);
        return (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("capabilities")) {
                        return all;
                    }
                    return method.getName().equals("forward")
                            ? answer((ForwardRequest) arguments[0])
                            : method.invoke(objects, arguments);
                });
    }

    private Mono<ForwardResponse> answer(ForwardRequest request) {
        requested.add(request);
        boolean right = request.headers()
                .first("x-amz-expected-bucket-owner")
                .filter(OWNER::equals)
                .isPresent();
        return right
                ? Mono.just(new ForwardResponse(200, HeaderList.EMPTY, ByteBuffer.allocate(0)))
                : Mono.error(new BackendException(FailureKind.ACCESS_DENIED, "another's"));
    }
}
