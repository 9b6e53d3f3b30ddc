package io.millrace.gateway.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Verifies {@code response-*} parameters, which set headers of one response. Anonymous callers could turn a public
 * object into a web page of this host, and a smuggled line end would let them write the rest of the response.
 */
class ResponseOverridesTest {
    private static final InMemoryBackend backend = new InMemoryBackend();

    @SuppressWarnings("NullAway.Init")
    private static TestGateway gateway;

    @SuppressWarnings("NullAway.Init")
    private static SigningClient signed;

    @BeforeAll
    static void start() {
        backend.store(
                new ObjectRef(new BucketName("open"), new ObjectKey("page")),
                "<script>".getBytes(StandardCharsets.UTF_8),
                HeaderList.EMPTY.with("content-type", "text/plain").with("cache-control", "no-store"));
        gateway = TestGateway.builder().bucket("open", backend, "", "read,list").start();
        signed = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "response-content-type=text/html",
                "response-content-disposition=inline",
                "response-content-encoding=gzip",
                "response-content-language=de",
                "response-cache-control=public",
                "response-expires=0",
                "response-content-type="
            })
    void aStrangerSetsNone(String override) throws IOException {
        RawClient.Response response = SigningClient.anonymous(gateway).get("/open/page?" + override);

        assertThat(response.status()).isEqualTo(400);
        assertThat(response.element("Code")).isEqualTo("InvalidRequest");
        assertThat(response.headers()).containsEntry("content-type", "application/xml");
    }

    @Test
    void signedOverridesChangeOnlyTheirOwnResponse() throws IOException {
        RawClient.Response changed =
                signed.get("/open/page?response-content-type=text%2Fhtml&response-content-disposition=inline");
        RawClient.Response next = signed.get("/open/page");

        assertThat(changed.headers())
                .containsEntry("content-type", "text/html")
                .containsEntry("content-disposition", "inline")
                .containsEntry("cache-control", "no-store")
                .containsEntry("x-content-type-options", "nosniff");
        assertThat(next.headers()).containsEntry("content-type", "text/plain").doesNotContainKey("content-disposition");
    }

    @Test
    void blanksAroundAValueAreNoneOfIt() throws IOException {
        RawClient.Response response =
                signed.get("/open/page?response-content-type=%20text%2Fhtml%20&response-expires=%20");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.headers()).containsEntry("content-type", "text/html");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a%0D%0Ax-injected:%201", "a%0Ax-injected:%201", "a%0Dx", "a%00b", "%7F", "a%09b"})
    void controlCharactersAreRefused(String value) throws IOException {
        for (String field : List.of("content-type", "content-disposition", "expires", "cache-control")) {
            RawClient.Response response = signed.get("/open/page?response-" + field + "=" + value);

            assertThat(response.status()).isEqualTo(400);
            assertThat(response.element("Code")).isEqualTo("InvalidArgument");
            assertThat(response.headers()).doesNotContainKey("x-injected");
        }
    }

    /** With one byte per char, U+010D would become a carriage return and U+010A a line feed. */
    @ParameterizedTest
    @ValueSource(strings = {"a%C4%8D%C4%8Ax-injected:%201", "%E2%82%AC.txt", "%C2%85", "%F0%9F%98%80"})
    void otherCharactersNeverEndALine(String value) throws IOException {
        RawClient.Response response = signed.get("/open/page?response-content-disposition=" + value);

        assertThat(response.status()).isIn(200, 400);
        assertThat(response.headers()).doesNotContainKey("x-injected");
    }

    @Test
    void onlyTheSixFieldsCanBeSet() throws IOException {
        for (String field : List.of("content-length", "set-cookie", "location", "etag", "transfer-encoding", "")) {
            assertThat(signed.get("/open/page?response-" + field + "=1").status())
                    .isEqualTo(501);
        }
    }
}
