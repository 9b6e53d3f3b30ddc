package io.millrace.gateway.archive;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads archives that GNU tar, bsdtar, zip and Python's libraries have made; a tool that is not there is left out. */
class ToolComparisonTest {
    private static final String LETTERS = "abcdefgh ._-+=";

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"v7,90", "ustar,100", "oldgnu,240", "gnu,240", "posix,240"})
    void readsTarsOfGnuTar(String format, int longestName) throws Exception {
        assumeTrue(output("tar", "--version").contains("GNU tar"));
        Map<String, byte[]> files = writeFiles(longestName);
        Files.createSymbolicLink(folder.resolve("files/link"), Path.of("target"));
        Files.createDirectory(folder.resolve("files/empty"));
        run("tar", "--format=" + format, "-cf", "a.tar", "-C", "files", ".");

        byte[] archive = Files.readAllBytes(folder.resolve("a.tar"));
        check(ArchiveFormat.TAR, archive, files);
        assertThat(Scan.of(ArchiveFormat.TAR, archive).hidden())
                .containsEntry(HiddenReason.LINK, 1)
                .containsKey(HiddenReason.FOLDER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gnu", "posix"})
    void hidesSparseFilesOfGnuTar(String format) throws Exception {
        assumeTrue(output("tar", "--version").contains("GNU tar"));
        Files.createDirectory(folder.resolve("files"));
        try (RandomAccessFile sparse =
                new RandomAccessFile(folder.resolve("files/b").toFile(), "rw")) {
            // More holes than a header has room for.
            for (int i = 0; i < 60; i++) {
                sparse.seek(i * 100_000L);
                sparse.write(1);
            }
            sparse.setLength(10_000_000);
        }
        Files.writeString(folder.resolve("files/a"), "first");
        Files.writeString(folder.resolve("files/c"), "last");
        run("tar", "--format=" + format, "-S", "-cf", "a.tar", "-C", "files", "a", "b", "c");
        byte[] archive = Files.readAllBytes(folder.resolve("a.tar"));
        // Some file systems have no holes.
        assumeTrue(archive.length < 5_000_000);

        Scan scan = Scan.of(ArchiveFormat.TAR, archive);

        assertThat(scan.failure()).isNull();
        assertThat(scan.names()).containsExactly("a", "c");
        assertThat(scan.hidden()).isEqualTo(Map.of(HiddenReason.SPARSE, 1));
        assertThat(scan.data("c", archive)).asString(StandardCharsets.US_ASCII).isEqualTo("last");
    }

    /** GNU tar extracts the last of equal names; here the first wins, since readers need not wait for the others. */
    @Test
    void readsAppendedAndJoinedTars() throws Exception {
        assumeTrue(output("tar", "--version").contains("GNU tar"));
        Files.createDirectory(folder.resolve("files"));
        Files.writeString(folder.resolve("files/a"), "old");
        run("tar", "-cf", "a.tar", "-C", "files", "a");
        Files.writeString(folder.resolve("files/a"), "new");
        Files.writeString(folder.resolve("files/b"), "appended");
        run("tar", "-rf", "a.tar", "-C", "files", "a", "b");
        run("tar", "-cf", "b.tar", "-C", "files", "--transform=s/b/c/", "b");
        run("tar", "-Af", "a.tar", "b.tar");
        byte[] archive = Files.readAllBytes(folder.resolve("a.tar"));

        Scan scan = Scan.of(ArchiveFormat.TAR, archive);

        assertThat(scan.failure()).isNull();
        assertThat(scan.names()).containsExactly("a", "a", "b", "c");
        assertThat(scan.data("a", archive)).asString(StandardCharsets.US_ASCII).isEqualTo("old");
    }

    @ParameterizedTest
    @ValueSource(strings = {"v7", "ustar", "gnutar", "pax", "zip"})
    void readsArchivesOfBsdtar(String format) throws Exception {
        assumeTrue(output("bsdtar", "--version").contains("bsdtar"));
        Map<String, byte[]> files = writeFiles(90);
        run("bsdtar", "--format", format, "-cf", "archive", "-C", "files", ".");

        ArchiveFormat ours = format.equals("zip") ? ArchiveFormat.ZIP : ArchiveFormat.TAR;
        check(ours, Files.readAllBytes(folder.resolve("archive")), files);
    }

    /** Stored and deflated; with wide numbers everywhere; through a pipe, where sizes come after the data. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "zip -q -r -0 a.zip .",
                "zip -q -r a.zip .",
                "zip -q -r -fz a.zip .",
                "zip -q -r - . | cat > a.zip"
            })
    void readsZipsOfInfoZip(String command) throws Exception {
        assumeTrue(output("zip", "--version").contains("Info-ZIP"));
        Map<String, byte[]> files = writeFiles(90);
        run("sh", "-c", "cd files && " + command.replace("a.zip", "../a.zip"));

        check(ArchiveFormat.ZIP, Files.readAllBytes(folder.resolve("a.zip")), files);
    }

    @Test
    void hidesLinksAndEncryptedFilesOfInfoZip() throws Exception {
        assumeTrue(output("zip", "--version").contains("Info-ZIP"));
        writeFiles(10);
        Files.createSymbolicLink(folder.resolve("files/link"), Path.of("target"));
        run("zip", "-q", "-y", "a.zip", "files/link");
        run("zip", "-q", "-r", "-P", "secret", "a.zip", "files", "-x", "files/link");

        Scan scan = Scan.of(ArchiveFormat.ZIP, Files.readAllBytes(folder.resolve("a.zip")));

        assertThat(scan.failure()).isNull();
        assertThat(scan.hidden()).containsEntry(HiddenReason.LINK, 1).containsKey(HiddenReason.ENCRYPTED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"USTAR_FORMAT", "GNU_FORMAT", "PAX_FORMAT"})
    void readsTarsOfPython(String format) throws Exception {
        String listed = python("""
            import io, random, sys, tarfile
            letters = 'abcde \\u00e4\\u65e5\\U0001f600._-'
            random.seed(5)
            with tarfile.open('a.archive', 'w', format=getattr(tarfile, sys.argv[1])) as tar:
                for i in range(60):
                    longest = 60 if sys.argv[1] == 'USTAR_FORMAT' else 300
                    name = '%d/n' % i + ''.join(random.choices(letters, k=random.choice([1, 20, 60, longest])))
                    if sys.argv[1] == 'USTAR_FORMAT':
                        name = name.encode()[:90].decode(errors='ignore')
                    info = tarfile.TarInfo(name)
                    info.size = random.choice([0, 1, 511, 512, 513, 3000])
                    tar.addfile(info, io.BytesIO(random.randbytes(info.size)))
            with tarfile.open('a.archive') as tar:
                for member in tar:
                    print(member.name.encode().hex(), member.offset_data, member.size, member.size)
            """, format);

        compare(ArchiveFormat.TAR, listed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "#!/bin/sh\\n"})
    void readsZipsOfPython(String prefix) throws Exception {
        String listed = python("""
            import random, sys, zipfile
            letters = 'abcde \\u00e4\\u65e5\\U0001f600._-'
            random.seed(5)
            open('a.archive', 'wb').write(sys.argv[1].encode())
            with zipfile.ZipFile('a.archive', 'a') as archive:
                archive.comment = b'a comment'
                for i in range(60):
                    info = zipfile.ZipInfo('%d/n' % i + ''.join(random.choices(letters, k=random.choice([1, 60]))))
                    info.compress_type = random.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
                    with archive.open(info, 'w', force_zip64=i % 3 == 0) as out:
                        out.write(random.randbytes(random.choice([0, 1, 3000])))
            with zipfile.ZipFile('a.archive') as archive:
                for member in archive.infolist():
                    print(member.filename.encode().hex(), member.header_offset, member.compress_size, member.file_size)
            """, prefix);

        compare(ArchiveFormat.ZIP, listed);
    }

    private String python(String script, String argument) throws IOException, InterruptedException {
        assumeTrue(output("python3", "--version").contains("Python 3"));
        return output("python3", "-c", script, argument);
    }

    private void compare(ArchiveFormat format, String listed) throws IOException {
        Scan scan = Scan.of(format, Files.readAllBytes(folder.resolve("a.archive")));

        assertThat(scan.failure()).isNull();
        assertThat(scan.members().stream()
                        .map(member -> "%s %d %d %d"
                                .formatted(
                                        HexFormat.of().formatHex(member.name().getBytes(StandardCharsets.UTF_8)),
                                        member.position(),
                                        member.storedSize(),
                                        member.size())))
                .hasSize(60)
                .isEqualTo(listed.lines().toList());
    }

    private Map<String, byte[]> writeFiles(int longestName) throws IOException {
        Map<String, byte[]> files = RandomFiles.of(new Random(longestName), 40, longestName, LETTERS);
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Path path = folder.resolve("files").resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.write(path, file.getValue());
        }
        return files;
    }

    private static void check(ArchiveFormat format, byte[] archive, Map<String, byte[]> files) {
        Scan scan = Scan.of(format, archive);

        assertThat(scan.failure()).isNull();
        assertThat(scan.names()).containsExactlyInAnyOrderElementsOf(files.keySet());
        for (ArchiveMember member : scan.members()) {
            assertThat(member.size()).isEqualTo(requireNonNull(files.get(member.name())).length);
            byte[] data = scan.data(member.name(), archive);
            assertThat(member.isDeflated() ? decoded(member, data) : data).isEqualTo(files.get(member.name()));
        }
    }

    private static byte[] decoded(ArchiveMember member, byte[] data) {
        try (DeflateDecoder decoder = new DeflateDecoder(member)) {
            ByteBuffer content = ByteBuffer.allocate((int) member.size() + 1);
            decoder.input(ByteBuffer.wrap(data));
            int bytes = decoder.decode(content);
            decoder.endOfInput();
            return Arrays.copyOf(content.array(), bytes);
        }
    }

    private void run(String... command) throws IOException, InterruptedException {
        Process process = start(command);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** Returns what a command prints; nothing if there is no such command. */
    private String output(String... command) throws InterruptedException {
        try {
            Process process = start(command);
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return output;
        } catch (IOException e) {
            return "";
        }
    }

    private Process start(String... command) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        return builder.start();
    }
}
