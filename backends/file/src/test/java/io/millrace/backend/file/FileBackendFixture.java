package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.Polling;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A root folder with one bucket and a backend on it, for tests that change files both by hand and through the backend.
 */
final class FileBackendFixture implements AfterEachCallback {
    static final BucketName BUCKET = new BucketName("bucket");
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path root;
    private final FileBackend backend;

    private FileBackendFixture(Path root) {
        this.root = root;
        this.backend = new FileBackend("test", root);
    }

    /** Uses an existing root. */
    static FileBackendFixture at(Path root) {
        return new FileBackendFixture(root);
    }

    /** Creates a root that is deleted after the test. */
    static FileBackendFixture make() {
        try {
            FileBackendFixture tree = at(Files.createTempDirectory("millrace").toRealPath());
            Files.createDirectory(tree.bucket());
            return tree;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Polling.until("all files are closed", () -> backend.openFiles() == 0);
        Polling.until("no temporary file is left", () -> temporaries().isEmpty());
        backend.close().block();
        RecursiveDelete.delete(root);
    }

    Path root() {
        return root;
    }

    Path bucket() {
        return root.resolve(BUCKET.value());
    }

    FileBackend backend() {
        return backend;
    }

    /** Writes a file directly, as an operator would. */
    Path put(String path, String content) throws IOException {
        Path file = bucket();
        for (String name : path.split("/", -1)) {
            file = Utf8FileNames.resolve(file, name);
        }
        Files.createDirectories(Utf8FileNames.parentOf(file));
        return Files.writeString(file, content);
    }

    WriteResult write(String key, String content, HeaderList headers) {
        return write(key, content.getBytes(StandardCharsets.UTF_8), headers);
    }

    WriteResult write(String key, byte[] content, HeaderList headers) {
        NewObject object = new NewObject(ref(key), headers, WriteCondition.ALWAYS);
        return Objects.requireNonNull(
                backend.put(object, FileUploadBodies.of(content)).block(PATIENCE));
    }

    WriteResult copy(String key, NewObject target) {
        CopySource source = new CopySource(ref(key), Optional.empty(), ReadConditions.NONE);
        return Objects.requireNonNull(backend.copy(source, target).block(PATIENCE));
    }

    /** Returns the headers with the checksums. */
    HeaderList headersWithChecksums(String key) {
        return Objects.requireNonNull(
                        backend.head(ReadRequest.of(ref(key)).withChecksums()).block(PATIENCE))
                .head()
                .headers();
    }

    void delete(String key) {
        backend.delete(Deletion.of(ref(key)), HeaderList.EMPTY).block(PATIENCE);
    }

    /** Returns the names of the unfinished files. */
    List<String> temporaries() {
        try (Stream<Path> files = Files.list(root.resolve(".millrace/tmp"))) {
            return files.map(file -> String.valueOf(file.getFileName())).toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static NewObject target(String key) {
        return new NewObject(ref(key), HeaderList.EMPTY, WriteCondition.ALWAYS);
    }

    static ObjectRef ref(String key) {
        return new ObjectRef(BUCKET, new ObjectKey(key));
    }

    ObjectHead head(String key) {
        return Objects.requireNonNull(backend.head(ReadRequest.of(ref(key))).block(PATIENCE))
                .head();
    }

    ObjectContent open(ReadRequest request) {
        return Objects.requireNonNull(backend.open(request).block(PATIENCE));
    }

    String read(String key) {
        return new String(drain(open(ReadRequest.of(ref(key)))), StandardCharsets.UTF_8);
    }

    static byte[] drain(ObjectContent content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        content.body()
                .doOnNext(piece -> {
                    bytes.writeBytes(ByteBufUtil.getBytes(piece));
                    piece.release();
                })
                .then()
                .block(PATIENCE);
        return bytes.toByteArray();
    }

    /** Returns the kind of error that reading this key fails with; empty if it succeeds. */
    Optional<BackendException.FailureKind> failure(String key) {
        try {
            read(key);
            return Optional.empty();
        } catch (BackendException e) {
            return Optional.of(e.kind());
        }
    }

    ListPage list(String prefix, String delimiter) {
        return list(new ListRequest(BUCKET, prefix, delimiter, new ListRequest.PageStart.FirstKey(), 1000, false));
    }

    ListPage list(ListRequest request) {
        return Objects.requireNonNull(backend.listObjects(request).block(PATIENCE));
    }

    List<String> keys() {
        return keys(list("", ""));
    }

    static List<String> keys(ListPage page) {
        return page.objects().stream().map(entry -> entry.key().value()).toList();
    }
}
