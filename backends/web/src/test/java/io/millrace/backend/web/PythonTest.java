package io.millrace.backend.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection.RangeSelection;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion.ValidatorStrength;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.ListedPages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Python's http.server knows neither ranges nor ETags, and its index no sizes: objects come in one stream, and are
 * listed all the same.
 */
@EnabledIf(value = "isInstalled", disabledReason = "python3 is not installed")
@ExtendWith(BufferLeakExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PythonTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final int SIZE = 300_000;

    private WebServerProcess server;
    private Backend backend;

    static boolean isInstalled() {
        return WebServerProcess.has("python3");
    }

    @BeforeAll
    void start() throws IOException {
        server = WebServerProcess.python();
        backend = WebSettings.of(server.url(), ListingSource.INDEX).backend();
        Path folder = Files.createDirectories(server.files().resolve("bucket/a b/c%d"));
        Files.write(folder.resolve("ü#?&.bin"), GeneratedBytes.of("x").first(SIZE));
        Files.write(server.files().resolve("bucket/empty"), new byte[0]);
    }

    @AfterAll
    void stop() throws IOException {
        backend.close().block(TIMEOUT);
        server.close();
    }

    @Test
    void listsWithSizesOfHeads() {
        ListedPages pages = ListedPages.readAll(backend, ListedPages.request(BUCKET, "", "", 1));

        assertThat(pages.keys()).containsExactly("a b/c%d/ü#?&.bin", "empty");
        assertThat(pages.pages().get(0).objects().get(0).size()).isEqualTo(SIZE);
        assertThat(ListedPages.page(backend, ListedPages.request(BUCKET, "", "/", 10))
                        .prefixes())
                .containsExactly("a b/");
    }

    @Test
    void objectWithoutETagIsWeak() {
        ObjectContent content = open(read("a b/c%d/ü#?&.bin"));

        assertThat(WebContentReader.bytes(content))
                .isEqualTo(GeneratedBytes.of("x").first(SIZE));
        assertThat(content.head().version().strength()).isEqualTo(ValidatorStrength.WEAK);
        assertThat(content.head().eTag()).isEmpty();
    }

    @Test
    void rangeIsCutOutOfTheWholeObject() {
        ObjectContent content = open(
                read("a b/c%d/ü#?&.bin").withSelection(new RangeSelection(new RangeSpec.Bounded(100_001, 200_000))));

        assertThat(content.range()).contains(new ByteRange(100_001, 200_000));
        assertThat(WebContentReader.bytes(content))
                .isEqualTo(GeneratedBytes.of("x").slice(100_001, 100_000));
    }

    @Test
    void rangeBeyondTheEndIsInvalid() {
        ReadRequest beyond = read("a b/c%d/ü#?&.bin").withSelection(new RangeSelection(new RangeSpec.OpenEnded(SIZE)));

        WebServerContract.assertKind(() -> open(beyond), FailureKind.INVALID_RANGE);
    }

    private ObjectContent open(ReadRequest request) {
        return Objects.requireNonNull(backend.open(request).block(TIMEOUT));
    }

    private static ReadRequest read(String key) {
        return ReadRequest.of(new ObjectRef(BUCKET, new ObjectKey(key)));
    }
}
