package io.millrace.gateway.s3.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.ScriptedBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Verifies that a listing never shows keys outside the bucket's prefix, even if the backend ignores it. */
class PrefixIsolationTest {
    private static final BucketName BUCKET = new BucketName("public");

    @ParameterizedTest
    @ValueSource(strings = {"list-type=2", "list-type=2&delimiter=/", "", "delimiter=/"})
    void refusesListingWithKeysOutsideThePrefix(String query) throws IOException {
        InMemoryBackend objects = new InMemoryBackend();
        for (String key : List.of("in/a", "secret", "other/secret")) {
            objects.store(new ObjectRef(BUCKET, new ObjectKey(key)), new byte[1], HeaderList.EMPTY);
        }
        ScriptedBackend forgetful = ScriptedBackend.over(objects)
                .mistaking(requested -> new ListRequest(
                        requested.bucket(),
                        "",
                        requested.delimiter(),
                        requested.start(),
                        requested.maxKeys(),
                        requested.withOwners()));
        try (TestGateway gateway =
                TestGateway.builder().bucket("public", forgetful, "in/", "list").start()) {
            RawClient.Response response =
                    RawClient.ask(gateway.port(), "GET /public?" + query + " HTTP/1.1\r\nHost: a\r\n\r\n");

            assertThat(response.status()).isEqualTo(503);
            assertThat(response.text()).doesNotContain("secret", "other", "in/");
        }
    }
}
