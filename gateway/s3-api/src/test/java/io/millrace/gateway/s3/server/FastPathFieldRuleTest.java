package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.PayloadType;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.config.Secret;
import io.millrace.gateway.s3.protocol.FastPathFieldRule;
import io.millrace.gateway.s3.protocol.FastPathFieldRule.Meaning;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import io.millrace.gateway.testkit.TestGateway;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The rule knows a meaning of every header that the general path looks at, so that none is overlooked on the fast path.
 */
class FastPathFieldRuleTest {
    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD"})
    void everyHeaderThatAReadLooksAtHasAMeaning(String method) {
        InMemoryBackend objects = new InMemoryBackend();
        byte[] content = "content".getBytes(StandardCharsets.UTF_8);
        objects.store(new ObjectRef(new BucketName("data"), new ObjectKey("key")), content, HeaderList.EMPTY);
        RequestService service = TestGateway.builder().bucket("*", objects).service();
        Map<String, String> sent = new HashMap<>(Map.of("host", "gateway.test", "range", "bytes=0-3"));
        sent.putAll(new RequestSigner(TestGateway.ACCESS_KEY, Secret.of(TestGateway.SECRET_KEY), "us-east-1")
                .sign(URI.create("http://gateway.test/data/key"), method, sent, PayloadType.UNSIGNED, Instant.now()));
        Recording headers = new Recording(sent, new TreeSet<>());

        DirectExchange.Reply reply =
                DirectExchange.serve(service, method, "/data/key", headers, UnverifiedRequestBody.NONE);

        assertThat(reply.status()).isEqualTo(206);
        assertThat(headers.asked())
                .contains("authorization", "range", "if-match", "cache-control", "origin", "x-millrace-hops")
                .allSatisfy(name ->
                        assertThat(FastPathFieldRule.ofHeader(name)).as(name).isNotEqualTo(Meaning.NONE));
    }

    /** Remembers the names that are asked for. */
    private record Recording(Map<String, String> sent, Set<String> asked) implements RequestHeaders {
        @Override
        public List<String> all(String name) {
            asked.add(name);
            return sent.containsKey(name) ? List.of(sent.get(name)) : List.of();
        }

        @Override
        public List<String> names() {
            return List.copyOf(sent.keySet());
        }
    }
}
