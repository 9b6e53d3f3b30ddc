package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A lookup never leaves its bucket, and never opens a file that may block. */
@Timeout(180)
class SpecialFilesTest {
    @RegisterExtension
    final FileBackendFixture tree = FileBackendFixture.make();

    @TempDir
    Path outside;

    @Test
    void ignoresLinksInBuckets() throws IOException {
        Path secret = Files.writeString(outside.resolve("secret"), "secret");
        tree.put("real/file", "x");
        link("to-secret", secret);
        link("to-folder", outside);
        link("real/up", Path.of("../.."));
        link("inside", Path.of("real/file"));
        link("inside-folder", Path.of("real"));
        link("dangling", Path.of("nowhere"));
        link("circle", Path.of("circle"));
        link("real/%%~", secret);

        assertThat(tree.keys()).containsExactly("real/file");
        assertThat(tree.list("", "/").prefixes()).containsExactly("real/");
        assertThat(tree.list("to-folder/", "").objects()).isEmpty();
        assertThat(tree.list("real/up/", "").objects()).isEmpty();
        assertThat(List.of(
                        "to-secret",
                        "to-folder/secret",
                        "real/up/bucket/real/file",
                        "inside",
                        "inside-folder/file",
                        "dangling",
                        "circle",
                        "circle/x",
                        "real",
                        "dangling/x"))
                .allSatisfy(key -> assertThat(tree.failure(key)).contains(FailureKind.NO_SUCH_KEY));
    }

    @Test
    void keysThatLookLikeWaysOutStayInside() throws IOException {
        Files.writeString(tree.root().resolve("beside"), "beside the bucket");
        Files.createDirectories(tree.root().resolve("bucket2"));
        Files.writeString(tree.root().resolve("bucket2/file"), "another bucket's");

        for (String key : List.of(
                "../beside",
                "..",
                "../bucket2/file",
                "a/../../beside",
                "/../beside",
                "//../beside",
                "./../beside",
                outside.toString(),
                "/etc/passwd",
                "../bucket/../beside",
                "../.millrace/meta")) {
            assertThat(tree.failure(key)).as(key).contains(FailureKind.NO_SUCH_KEY);
            assertThat(tree.list(key + "/", "").objects()).as(key).isEmpty();
        }
    }

    @Test
    void bucketMayBeALinkThatAnOperatorMade() throws IOException {
        Files.createDirectories(outside.resolve("deep"));
        Files.writeString(outside.resolve("deep/file"), "served");
        Files.createSymbolicLink(tree.root().resolve("linked"), outside);
        BucketName linked = new BucketName("linked");

        assertThat(new String(
                        FileBackendFixture.drain(
                                tree.open(ReadRequest.of(new ObjectRef(linked, new ObjectKey("deep/file"))))),
                        StandardCharsets.UTF_8))
                .isEqualTo("served");
        assertThat(Objects.requireNonNull(tree.backend().listBuckets().block()))
                .extracting(BucketInfo::name)
                .contains(linked);
    }

    @Test
    void ignoresLinksToRootParentOrHiddenFolder() throws IOException {
        Path hidden = Files.createDirectories(tree.root().resolve(".millrace/meta"));
        Files.createSymbolicLink(tree.root().resolve("to-root"), tree.root());
        Files.createSymbolicLink(tree.root().resolve("to-above"), Utf8FileNames.parentOf(tree.root()));
        Files.createSymbolicLink(tree.root().resolve("to-hidden"), hidden);
        Files.createSymbolicLink(tree.root().resolve("to-nothing"), Path.of("nothing"));

        for (String name : List.of("to-root", "to-above", "to-hidden", "to-nothing")) {
            assertThat(kind(new BucketName(name))).as(name).isEqualTo(FailureKind.NO_SUCH_BUCKET);
        }
        assertThat(Objects.requireNonNull(tree.backend().listBuckets().block())).hasSize(1);
    }

    @Test
    void pipesAreNeverOpened() throws Exception {
        tree.put("file", "x");
        Process mkfifo =
                new ProcessBuilder("mkfifo", tree.bucket().resolve("pipe").toString()).start();
        assertThat(mkfifo.waitFor()).isZero();
        Files.createDirectory(tree.bucket().resolve("folder"));
        assertThat(new ProcessBuilder(
                                "mkfifo", tree.bucket().resolve("folder/%%~").toString())
                        .start()
                        .waitFor())
                .isZero();

        assertThat(tree.failure("pipe")).contains(FailureKind.NO_SUCH_KEY);
        assertThat(tree.failure("pipe/below")).contains(FailureKind.NO_SUCH_KEY);
        assertThat(tree.failure("folder")).contains(FailureKind.NO_SUCH_KEY);
        assertThat(tree.list("pipe/", "").objects()).isEmpty();
        assertThat(tree.keys()).containsExactly("file");
    }

    private FailureKind kind(BucketName name) {
        try {
            tree.backend().headBucket(name).block(Duration.ofSeconds(60));
            throw new AssertionError("found " + name);
        } catch (BackendException e) {
            return e.kind();
        }
    }

    private void link(String path, Path target) throws IOException {
        Path link = tree.bucket().resolve(path);
        Files.createDirectories(Utf8FileNames.parentOf(link));
        Files.createSymbolicLink(link, target);
    }
}
