package io.millrace.backend.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.resilience.ResilienceSettings;
import io.millrace.backend.resilience.ResilientBackend;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.contract.BackendContract;
import io.millrace.backend.testkit.data.DifficultKeys;
import io.millrace.backend.testkit.data.ListedPages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The backend's contract over a web server that serves a folder with index pages. What a file or an index cannot be is
 * left out.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class WebServerContract extends BackendContract {
    static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static final int LONGEST_NAME = 255;

    /** Keys that have others below them: a file is no folder. */
    private static final Set<String> FOLDERS =
            DifficultKeys.keys().stream().flatMap(key -> folders(key.value())).collect(Collectors.toSet());

    /** Components that servers on Windows would resolve. */
    private static final Pattern DOTS = Pattern.compile("(^|[/\\\\])\\.\\.?([/\\\\]|$)");

    private WebServerProcess server;
    private Backend backend;
    private BucketName bucket;

    /** Starts the server. */
    abstract WebServerProcess start() throws IOException;

    /** Returns how long before now the files of a test were written. */
    Duration age() {
        return Duration.ZERO;
    }

    @BeforeAll
    void startServer() throws IOException {
        server = start();
        // A web server may close a kept connection while a request is on its way; as in the gateway, it is sent again.
        // A list asks for hundreds of folders and files, which no busy machine shall be too slow for.
        backend = new ResilientBackend(
                "web",
                WebSettings.of(server.url(), ListingSource.INDEX).backend(),
                new ResilienceSettings(TIMEOUT, 3, 1024, Optional.empty(), Optional.empty(), Optional.empty()));
    }

    @AfterAll
    void stopServer() throws IOException {
        backend.close().block(TIMEOUT);
        server.close();
    }

    @BeforeEach
    void makeBucket() throws IOException {
        bucket = new BucketName("b" + UUID.randomUUID());
        Files.createDirectory(server.files().resolve(bucket.value()));
    }

    @AfterEach
    void deleteBucket() throws IOException {
        WebServerProcess.delete(server.files().resolve(bucket.value()));
    }

    @Override
    public Backend backend() {
        return backend;
    }

    @Override
    public BucketName bucket() {
        return bucket;
    }

    /** An object that is replaced gets another time, as it does unless both are written within a second. */
    @Override
    public void seed(ObjectKey key, byte[] bytes, HeaderList headers) {
        Path file = path(key);
        try {
            FileTime time = Files.exists(file)
                    ? FileTime.from(Files.getLastModifiedTime(file).toInstant().plusSeconds(1))
                    : FileTime.from(Instant.now().minus(age()));
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            Path written = Files.write(server.files().resolveSibling("written"), bytes);
            Files.setLastModifiedTime(written, time);
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void remove(ObjectKey key) {
        try {
            Path file = path(key);
            Files.delete(file);
            Path folder = Objects.requireNonNull(file.getParent());
            // A web server shows empty folders as prefixes.
            while (!folder.endsWith(bucket.value()) && isEmpty(folder)) {
                Files.delete(folder);
                folder = Objects.requireNonNull(folder.getParent());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean supportsKey(ObjectKey key) {
        String text = key.value();
        return !FOLDERS.contains(text)
                && !DOTS.matcher(text).find()
                && Stream.of(text.split("/", -1)).allMatch(WebServerContract::isFileName)
                && path(key).toString().length() < 2000;
    }

    /** A web server knows no buckets: what is missing there is the key. */
    @Override
    @Test
    public void missingBucketIsReported() {
        BucketName missing = new BucketName("millrace-no-such-bucket");

        assertKind(
                () -> backend.open(ReadRequest.of(new ObjectRef(missing, new ObjectKey("key"))))
                        .doOnNext(ObjectContent::discard)
                        .block(TIMEOUT),
                FailureKind.NO_SUCH_KEY);
        assertKind(
                () -> backend.listObjects(ListedPages.request(missing, "", "", 10))
                        .block(TIMEOUT),
                FailureKind.NO_SUCH_BUCKET);
        assertKind(() -> backend.headBucket(missing).block(TIMEOUT), FailureKind.NO_SUCH_BUCKET);
    }

    /** Its files have no headers of their own. */
    @Override
    public boolean storesHeaders() {
        return false;
    }

    /** An index does not tell the ETag. */
    @Override
    @Test
    public void entryReportsWhatTheHeadReports() {
        ObjectKey key = new ObjectKey("listed/entry.bin");
        seed(key, new byte[4321], HeaderList.EMPTY);

        ListPage.ListedObject entry = listed("", "").objects().get(0);

        assertThat(entry.key()).isEqualTo(key);
        assertThat(entry.size()).isEqualTo(4321);
        assertThat(entry.lastModified())
                .isEqualTo(head(key).head().lastModified().orElseThrow());
    }

    @Override
    @Test
    public void prefixIsTextNotAFolder() {
        seedNames(List.of("train/1", "train/10", "train/2", "training", "trai", "Train/1", "x/train/1"));

        assertThat(ListedPages.keys(listed("train", ""))).containsExactly("train/1", "train/10", "train/2", "training");
        assertThat(ListedPages.keys(listed("train/1", ""))).containsExactly("train/1", "train/10");
        assertThat(listed("train/1/", "").objects()).isEmpty();
        assertThat(listed("nothing/at/all/", "").objects()).isEmpty();
    }

    @Test
    void folderIsNoObject() {
        seedNames(List.of("folder/file"));

        assertKind(() -> head(new ObjectKey("folder")), FailureKind.NO_SUCH_KEY);
        assertKind(() -> head(new ObjectKey("folder/")), FailureKind.NO_SUCH_KEY);
    }

    final HeadResult head(ObjectKey key) {
        return Objects.requireNonNull(
                backend.head(ReadRequest.of(new ObjectRef(bucket, key))).block(TIMEOUT));
    }

    final ListPage listed(String prefix, String delimiter) {
        return ListedPages.page(backend, ListedPages.request(bucket, prefix, delimiter, ListRequest.MAX_KEYS));
    }

    static void assertKind(ThrowingCallable call, FailureKind kind) {
        BackendException failure = catchThrowableOfType(BackendException.class, call);
        assertThat(failure).isNotNull();
        assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
    }

    private Path path(ObjectKey key) {
        return server.files().resolve(bucket.value()).resolve(key.value());
    }

    private static boolean isFileName(String component) {
        return !component.isEmpty()
                && !component.equals(".")
                && !component.equals("..")
                && component.getBytes(StandardCharsets.UTF_8).length <= LONGEST_NAME
                && component.chars().noneMatch(c -> c < ' ' || c == 0x7F);
    }

    private static Stream<String> folders(String key) {
        Stream.Builder<String> folders = Stream.builder();
        for (int at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1)) {
            folders.add(key.substring(0, at));
        }
        return folders.build();
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.findAny().isEmpty();
        }
    }
}
