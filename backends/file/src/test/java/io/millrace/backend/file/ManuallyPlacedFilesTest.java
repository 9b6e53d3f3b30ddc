package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Files that operators put with cp and rsync and change with an editor are served as they are. */
class ManuallyPlacedFilesTest {
    @RegisterExtension
    final FileBackendFixture tree = FileBackendFixture.make();

    @Test
    void ordinaryNamesAreTheirOwnKeys() throws IOException {
        List<String> names = List.of(
                ".hidden",
                "100%",
                "a%20b",
                "a+b",
                "lost+found",
                "train/a b/\u00E4.jpg",
                "~backup~",
                "\u65E5\u672C/\uD83D\uDE00");
        for (String name : names) {
            tree.put(name, "content of " + name);
        }

        assertThat(tree.keys()).containsExactlyElementsOf(names);
        assertThat(names).allSatisfy(name -> assertThat(tree.read(name)).isEqualTo("content of " + name));
    }

    @Test
    void fileHasDefaultTypeAndOpaqueETag() throws IOException {
        tree.put("page.html", "<p>");

        ObjectHead head = tree.head("page.html");

        assertThat(head.headers()).isEqualTo(HeaderList.EMPTY.with("content-type", "binary/octet-stream"));
        assertThat(head.eTag().orElseThrow().opaque()).contains("-").doesNotMatch("[0-9a-f]{32}");
        assertThat(head.eTag().orElseThrow().weak()).isFalse();
        assertThat(head.version().hasStrongValidator()).isTrue();
        assertThat(tree.list("", "").objects().get(0).eTag()).isEqualTo(head.eTag());
    }

    @Test
    void lastModifiedIsTheFilesTimeInWholeSeconds() throws IOException {
        Path file = tree.put("old", "x");
        Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2001-02-03T04:05:06.789Z")));

        assertThat(tree.head("old").lastModified()).contains(Instant.parse("2001-02-03T04:05:06Z"));
    }

    @Test
    void newContentOfSameSizeIsNewVersion() throws IOException {
        Path file = tree.put("file", "one");
        FileTime time = Files.getLastModifiedTime(file);
        ObjectHead before = tree.head("file");

        Files.writeString(file, "two");
        Files.setLastModifiedTime(file, time);

        ObjectHead after = tree.head("file");
        assertThat(after.lastModified()).isEqualTo(before.lastModified());
        assertThat(after.version()).isNotEqualTo(before.version());
        assertThat(after.eTag()).isNotEqualTo(before.eTag());
    }

    @Test
    void readWaitsUntilModificationTimeIsCertain() throws IOException {
        for (int i = 0; i < 20; i++) {
            tree.put("fresh", "same size " + (i % 10));
            ObjectHead one = tree.head("fresh");
            tree.put("fresh", "same size " + (i + 1) % 10);

            assertThat(one.version().hasStrongValidator()).isTrue();
            assertThat(tree.head("fresh").version()).isNotEqualTo(one.version());
        }
    }

    @Test
    void oldModificationTimesAreCertain() {
        Instant changed = Instant.ofEpochSecond(1000);
        FileStat file = new FileStat(FileStat.Type.FILE, 1, Instant.EPOCH, changed, 1, 1);

        assertThat(FileObjectHeadBuilder.of(file, Optional.empty(), changed.plusMillis(20), changed.plusMillis(20)))
                .isEmpty();
        assertThat(FileObjectHeadBuilder.of(file, Optional.empty(), changed.plusMillis(21), changed.plusMillis(21)))
                .hasValueSatisfying(
                        head -> assertThat(head.version().hasStrongValidator()).isTrue());
        assertThat(FileObjectHeadBuilder.of(file, Optional.empty(), changed.minusMillis(1), changed.minusMillis(1)))
                .hasValueSatisfying(head -> {
                    assertThat(head.version().hasStrongValidator()).isFalse();
                    assertThat(head.eTag().orElseThrow().weak()).isTrue();
                });
    }

    @Test
    void headersBelongToTheContentWrittenWithThem() throws IOException {
        HeaderList headers = HeaderList.EMPTY.with("content-type", "text/plain").with("x-amz-meta-a", "b");
        tree.write("kept", "hello", headers);
        Path file = tree.bucket().resolve("kept");
        FileTime time = Files.getLastModifiedTime(file);
        ObjectHead stored = tree.head("kept");
        assertThat(stored.eTag().orElseThrow().opaque()).isEqualTo("5d41402abc4b2a76b9719d911017c592");
        assertThat(stored.headers()).isEqualTo(headers);

        Files.writeString(file, "olleh");
        assertThat(tree.head("kept").headers().first("x-amz-meta-a")).isEmpty();
        assertThat(tree.head("kept").eTag()).isNotEqualTo(stored.eTag());
        assertThat(tree.list("", "").objects().get(0).eTag())
                .isEqualTo(tree.head("kept").eTag());

        Files.writeString(file, "hello");
        Files.setLastModifiedTime(file, time);
        assertThat(tree.head("kept").eTag()).isEqualTo(stored.eTag());
        assertThat(tree.head("kept").headers()).isEqualTo(headers);
    }

    @Test
    void damagedMetadataIsAsGoodAsNone() throws IOException {
        tree.write("kept", "hello", HeaderList.EMPTY.with("content-type", "text/plain"));
        try (var files = Files.walk(tree.root().resolve(".millrace/meta"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.writeString(file, "\0".repeat(200));
            }
        }

        assertThat(tree.read("kept")).isEqualTo("hello");
        assertThat(tree.head("kept").headers().first("content-type")).contains("binary/octet-stream");
    }

    @Test
    void emptyFoldersAreNothing() throws IOException {
        Files.createDirectories(tree.bucket().resolve("a/b/c"));
        Files.createDirectories(tree.bucket().resolve("%%+zz/%%"));
        tree.put("d/e", "");

        ListPage page = tree.list("", "/");
        assertThat(page.prefixes()).containsExactly("d/");
        assertThat(page.objects()).isEmpty();
        assertThat(tree.keys()).containsExactly("d/e");
        assertThat(tree.failure("a/b/")).contains(FailureKind.NO_SUCH_KEY);
    }

    @Test
    void ignoresNamesThatDecodeToNoKey() throws IOException {
        for (String name : List.of(
                "%%a",
                "%%~",
                "%%tmp/1",
                "%%+short/rest",
                "%%%25",
                "%%%2",
                "%%%zz",
                "%%+",
                "x/%%+y",
                "%%+" + "l".repeat(252))) {
            tree.put(name, "x");
        }
        tree.put("seen", "x");

        assertThat(tree.keys()).containsExactly("seen");
        assertThat(tree.list("", "/").prefixes()).isEmpty();
    }

    @Test
    void ignoresNonUtf8NamesAndOverlongPaths() throws IOException {
        Path raw = Path.of(URI.create("file:///bad%FFname")).getFileName();
        Files.writeString(tree.bucket().resolve(raw), "x");
        Path folder = Files.createDirectory(tree.bucket()
                .resolve(Path.of(URI.create("file:///bad%FFfolder")).getFileName()));
        Files.writeString(folder.resolve("file"), "x");
        tree.put("\uFFFD", "a replacement character is a name");
        tree.put(String.join("/", Collections.nCopies(103, "long name")) + "/12345", "exactly too long");
        tree.put(String.join("/", Collections.nCopies(102, "long name")) + "/1234", "just not");

        assertThat(tree.keys())
                .containsExactly(String.join("/", Collections.nCopies(102, "long name")) + "/1234", "\uFFFD");
        assertThat(tree.read("\uFFFD")).isEqualTo("a replacement character is a name");
    }

    @Test
    void ignoresFoldersWithInvalidBucketNames() throws IOException {
        for (String name : List.of(".millrace", ".hidden", "ab", "with space", "\u00E4\u00E4\u00E4")) {
            Files.createDirectories(Utf8FileNames.resolve(tree.root(), name));
        }
        Files.writeString(tree.root().resolve("plain-file"), "x");
        Files.createDirectories(tree.root().resolve("Another.One_2"));

        assertThat(Objects.requireNonNull(tree.backend().listBuckets().block()))
                .extracting(bucket -> bucket.name().value())
                .containsExactly("Another.One_2", "bucket");
        assertThat(tree.backend()
                        .headBucket(new BucketName("plain-file"))
                        .map(found -> "found")
                        .onErrorReturn("none")
                        .block())
                .isEqualTo("none");
    }
}
