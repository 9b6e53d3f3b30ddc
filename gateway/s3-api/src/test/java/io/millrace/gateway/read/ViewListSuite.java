package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.gateway.read.ListOperation.Choice;
import io.millrace.gateway.read.ListOperation.Page;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Lists of a bucket with {@code prefix:} are the lists of the whole bucket, page by page, without that prefix. A
 * subclass says which server keeps the keys. Servers page in their own ways, so the whole bucket on the same server is
 * the measure.
 */
@ExtendWith(BufferLeakExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ViewListSuite {
    private static final String OUTER = "c00/";
    private static final List<String> INSIDE = List.of("a", "a b/1", "b-", "b/1", "b/2", "b/c/3", "c", "c0/x", "z/y/z");
    private static final List<String> BESIDE = List.of("a", "b/1", "c0", "c000", "c01/b/1", "z");

    private static final List<String> PREFIXES = List.of("", "a", "b", "b/", "b/c/", "c0", "none");
    private static final List<String> DELIMITERS = List.of("", "/");
    private static final List<String> MARKERS =
            List.of("", "a", "a b/1", "b", "b/", "b/1", "b/c/3", "c0/", OUTER, "zz");
    private static final List<Integer> SIZES = List.of(1, 3, 1000);

    private OriginFixture origin;
    private TestGateway gateway;
    private RawResponse wire;
    private String bucket;

    /** Connects to what is behind the gateway, or skips the class. */
    abstract OriginFixture connect() throws Exception;

    /** Ends what {@link #connect} began. */
    void disconnect() {}

    @BeforeAll
    @SuppressWarnings("NullAway.Init")
    void start() throws Exception {
        origin = connect();
        bucket = "views-" + UUID.randomUUID();
        origin.createBucket(bucket);
        gateway = TestGateway.builder()
                .bucket(bucket, origin.backend())
                .alias("view", bucket, OUTER)
                .start();
        wire = new RawResponse(gateway.port(), gateway.signer());
        for (String key : keys()) {
            origin.put(bucket, key, new byte[] {1}, HeaderList.EMPTY);
            if (hasUploads()) {
                assertThat(wire.ask("POST", RawResponse.path(bucket, key) + "?uploads", "content-length: 0")
                                .status())
                        .isEqualTo(200);
            }
        }
    }

    @AfterAll
    void stop() throws IOException {
        if (wire == null) {
            return; // skipped
        }
        for (RawClient.Response listed = uploads(); listed.text().contains("<UploadId>"); listed = uploads()) {
            wire.ask(
                    "DELETE",
                    RawResponse.path(bucket, listed.element("Key")) + "?"
                            + RawResponse.parameter("uploadId", listed.element("UploadId")));
        }
        gateway.close();
        origin.close();
        disconnect();
    }

    @ParameterizedTest
    @EnumSource
    void pagesAreThoseOfTheWholeBucket(ListOperation operation) throws IOException {
        assumeTrue(operation != ListOperation.UPLOADS || hasUploads(), "the backend is read only");
        List<String> different = new ArrayList<>();
        for (Choice choice : choices().toList()) {
            List<Page> whole = operation.pages(wire, bucket, choice.below(OUTER)).stream()
                    .map(page -> page.inside(OUTER))
                    .toList();
            List<Page> view = operation.pages(wire, "view", choice);
            if (!view.equals(whole)) {
                different.add("%s: %s, and of the whole bucket %s".formatted(choice, view, whole));
            }
        }

        assertThat(different).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = "UPLOADS", mode = EnumSource.Mode.EXCLUDE)
    void pagesShowEachKeyOnce(ListOperation operation) throws IOException {
        for (int size : SIZES) {
            Choice all = new Choice("", "", "", size, true);
            if (pagesRightly(
                    operation,
                    wire,
                    bucket,
                    all,
                    INSIDE.stream().map(key -> OUTER + key).toList())) {
                assertThat(ListOperation.keys(operation.pages(wire, "view", all)))
                        .as("pages of %d", size)
                        .containsExactlyElementsOf(INSIDE);
            }
        }
    }

    /** Some servers do not go on behind a marker of their own: versitygw 1.8 repeats a page of one version for ever. */
    private static boolean pagesRightly(
            ListOperation operation, RawResponse wire, String bucket, Choice all, List<String> expected)
            throws IOException {
        return ListOperation.keys(operation.pages(wire, bucket, all.below(OUTER)))
                .equals(expected);
    }

    /** Consoles of S3 make such objects to draw an empty folder. */
    @ParameterizedTest
    @EnumSource
    void hidesObjectNamedLikeThePrefix(ListOperation operation) throws IOException {
        assumeTrue(origin.canHold(OUTER), "the server has no such name");
        assumeTrue(operation != ListOperation.UPLOADS || hasUploads(), "the backend is read only");
        String foldered = "views-" + UUID.randomUUID();
        origin.createBucket(foldered);
        try (TestGateway other = TestGateway.builder()
                .bucket(foldered, origin.backend())
                .alias("view", foldered, OUTER)
                .start()) {
            RawResponse through = new RawResponse(other.port(), other.signer());
            List<String> whole = List.of(OUTER, OUTER + "a", OUTER + "b/1");
            for (String key : whole) {
                origin.put(foldered, key, new byte[0], HeaderList.EMPTY);
            }
            boolean uploads = operation == ListOperation.UPLOADS;
            for (int size : SIZES) {
                Choice all = new Choice("", "", "", size, false);
                if (pagesRightly(operation, through, foldered, all, uploads ? List.of() : whole)) {
                    assertThat(ListOperation.keys(operation.pages(through, "view", all)))
                            .as("pages of %d", size)
                            .containsExactlyElementsOf(uploads ? List.of() : List.of("a", "b/1"));
                }
            }
        }
    }

    private boolean hasUploads() {
        return origin.backend().capabilities().contains(Capability.MULTIPART);
    }

    private Stream<String> allKeys() {
        return Stream.concat(INSIDE.stream().map(key -> OUTER + key), BESIDE.stream());
    }

    private List<String> keys() {
        return allKeys().filter(origin::canHold).toList();
    }

    private static Stream<Choice> choices() {
        return PREFIXES.stream()
                .flatMap(prefix -> DELIMITERS.stream()
                        .flatMap(delimiter -> MARKERS.stream().flatMap(marker -> sized(prefix, delimiter, marker))));
    }

    /**
     * Encoding changes how names are written and not which: it is tried with one size. Pages of one key, which are
     * many, are tried from the start and from the middle.
     */
    private static Stream<Choice> sized(String prefix, String delimiter, String marker) {
        boolean isSmallTried = marker.isEmpty() || marker.equals("b/1");
        return Stream.concat(
                SIZES.stream()
                        .filter(size -> size > 1 || isSmallTried)
                        .map(size -> new Choice(prefix, delimiter, marker, size, true)),
                Stream.of(new Choice(prefix, delimiter, marker, 3, false)));
    }

    private RawClient.Response uploads() throws IOException {
        return wire.get("/" + bucket + "?uploads");
    }
}
